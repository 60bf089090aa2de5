internal import CommandLineKit
internal import DLSync
internal import Glibc

extension Settings {
    /// Reads what lets requests in, and for whom it is.
    static func readAccess(
        _ arguments: ParsedArguments, sources: [Source], _ configuration: inout SyncConfiguration
    ) throws(UsageError) {
        var access = SyncConfiguration.Access()
        access.login = arguments.value("user").map(login)
        access.fields = try arguments.allParsed("header", expecting: "a field, as in 'X-Key: abc'") {
            HeaderField(line: $0)
        }
        access.cookies = try arguments.parsed("cookie", expecting: "cookies, as in 'a=1; b=2'") { text in
            text.contains("=") && HeaderField(line: "Cookie: \(text)") != nil ? text : nil
        }
        access.origins = try arguments.allParsed("origin", expecting: "an absolute URL", by: WebURL.init)
        access.origins += sources.compactMap(\.url) + [configuration.baseURL].compactMap { $0 }
        let given = ["user", "header", "cookie"].first { arguments.contains($0) }
        if let given, access.origins.isEmpty {
            throw .invalidValue(
                option: "--\(given)", value: "…",
                expected: "an origin that it is for: name one with --origin, since the sources are no URLs")
        }
        access.netrc = try netrc(arguments)
        access.proxy = try arguments.text("proxy")
        access.certificateAuthorities = try arguments.text("cacert")
        access.clientCertificate = try arguments.text("cert")
        access.clientKey = try arguments.text("key")
        access.isInsecure = arguments.flag("insecure")
        access.resolve = try arguments.allParsed("resolve", expecting: "HOST:PORT:ADDRESS") { text in
            text.split(separator: ":").count >= 3 ? text : nil
        }
        configuration.access = access
    }

    /// A name and a password, divided by the first colon.
    private static func login(_ value: ArgumentValue) -> (user: [UInt8], password: [UInt8]) {
        let parts = value.bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        return (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
    }

    /// The bytes of the netrc file that is asked for.
    private static func netrc(_ arguments: ParsedArguments) throws(UsageError) -> [UInt8]? {
        let named = try arguments.text("netrc-file")
        guard named != nil || arguments.flag("netrc") else { return nil }
        let path = named ?? (getenv("HOME").map { String(cString: $0) } ?? "") + "/.netrc"
        if let bytes = readSmallFile(Array(path.utf8)) { return bytes }
        throw .invalidValue(
            option: named == nil ? "--netrc" : "--netrc-file", value: path, expected: "a file that can be read")
    }
}

extension Source {
    /// The URL of a source that has one.
    fileprivate var url: WebURL? {
        guard case .url(let url) = self else { return nil }
        return url
    }
}

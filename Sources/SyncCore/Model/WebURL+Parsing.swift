/// The basic URL parser (https://url.spec.whatwg.org/#concept-basic-url-parser), which writes the serialisation as it
/// goes.
///
/// The standard's machine of states is laid out as functions here, one for each stretch of the input. It keeps a path
/// as a list of segments; here each segment stands behind its own slash, so that shortening the list is cutting the
/// text at its last slash.
struct URLParser {
    enum Kind {
        case file
        case special
        case other
    }

    var output: [UInt8] = []
    var kind: Kind
    var schemeEnd: Int
    var pathStart = 0
    private var pathEnd = 0
    private var queryEnd = 0

    private init(scheme: some Collection<UInt8>, capacity: Int) {
        output.reserveCapacity(capacity)
        for byte in scheme { output.append(asciiLowercased(byte)) }
        schemeEnd = output.count
        kind = Self.kind(of: output)
        output.append(UInt8(ascii: ":"))
    }

    /// Parses a URL, or a reference against a base; nil for the standard's failures and for what is too long.
    static func parse(_ raw: ArraySlice<UInt8>, base: WebURL?) -> WebURL? {
        guard raw.count <= WebURL.maximumLength else { return nil }
        if let offsets = URLOffsets(plain: raw.span) {
            return WebURL(serialisation: String(decoding: raw, as: UTF8.self), offsets)
        }
        let input = cleaned(raw)
        var parser: URLParser
        if let colon = colonBehindScheme(input) {
            parser = URLParser(scheme: input[..<colon], capacity: input.count + 8)
            guard parser.readBehindScheme(input[(colon + 1)...], base: base) else { return nil }
        } else {
            guard let base else { return nil }
            let scheme = base.string.utf8.prefix { $0 != UInt8(ascii: ":") }
            parser = URLParser(scheme: scheme, capacity: base.string.utf8.count + input.count + 8)
            guard parser.readWithoutScheme(input, base: base) else { return nil }
        }
        guard parser.output.count <= WebURL.maximumLength else { return nil }
        return WebURL(
            serialisation: String(decoding: parser.output, as: UTF8.self),
            URLOffsets(
                schemeEnd: parser.schemeEnd, pathStart: parser.pathStart, pathEnd: parser.pathEnd,
                queryEnd: parser.queryEnd))
    }

    /// The input without control characters and blanks around it and without tabs and line ends anywhere.
    private static func cleaned(_ raw: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var input = raw.drop { $0 <= 0x20 }
        while let last = input.last, last <= 0x20 { input.removeLast() }
        guard input.contains(where: isTabOrLineEnd) else { return input }
        return input.filter { !isTabOrLineEnd($0) }[...]
    }

    private static func isTabOrLineEnd(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private static func colonBehindScheme(_ input: ArraySlice<UInt8>) -> Int? {
        guard let first = input.first, isASCIILetter(first) else { return nil }
        for index in input.indices {
            switch input[index] {
            case UInt8(ascii: ":"): return index
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): break
            case let byte where isASCIILetter(byte): break
            default: return nil
            }
        }
        return nil
    }

    private static func kind(of scheme: [UInt8]) -> Kind {
        switch String(decoding: scheme.prefix(6), as: UTF8.self) {
        case "file": .file
        case "http", "https", "ftp", "ws", "wss": .special
        default: .other
        }
    }
}

// The stretches between the scheme and the path.
extension URLParser {
    /// A `\` is a slash in every scheme that browsers treat as hierarchical.
    func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || (byte == UInt8(ascii: "\\") && kind != .other)
    }

    func endsAuthority(_ byte: UInt8) -> Bool {
        isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private mutating func readBehindScheme(_ rest: ArraySlice<UInt8>, base: WebURL?) -> Bool {
        let sameSchemeBase = base.flatMap { base in
            base.string.utf8.starts(with: output) && !base.hasOpaquePath ? base : nil
        }
        switch kind {
        case .file: return readFile(rest, base: sameSchemeBase)
        case .special:
            if let sameSchemeBase, !rest.starts(with: "//".utf8) { return readRelative(rest, base: sameSchemeBase) }
            return readAuthority(rest.drop(while: isSlash))
        case .other:
            if rest.starts(with: "//".utf8) { return readAuthority(rest.dropFirst(2)) }
            pathStart = output.count
            if rest.first == UInt8(ascii: "/") { readPath(rest.dropFirst()) } else { readOpaquePath(rest) }
            return true
        }
    }

    private mutating func readWithoutScheme(_ rest: ArraySlice<UInt8>, base: WebURL) -> Bool {
        if base.hasOpaquePath {
            guard rest.first == UInt8(ascii: "#") else { return false }
            copy(base, path: true, query: true)
            readQueryAndFragment(rest)
            return true
        }
        return kind == .file ? readFile(rest, base: base) : readRelative(rest, base: base)
    }

    /// Starts the output with the base's, up to its path, its path too, or its query too.
    mutating func copy(_ base: WebURL, path: Bool = false, query: Bool = false) {
        output.removeAll(keepingCapacity: true)
        output.append(contentsOf: base.beforePath)
        pathStart = output.count
        if path { output.append(contentsOf: base.pathBytes) }
        pathEnd = output.count
        if query { output.append(contentsOf: base.queryBytes) }
        queryEnd = output.count
    }

    mutating func readRelative(_ rest: ArraySlice<UInt8>, base: WebURL) -> Bool {
        switch rest.first {
        case .some(let first) where isSlash(first):
            let behind = rest.dropFirst()
            if let second = behind.first, isSlash(second) {
                return readAuthority(kind == .special ? behind.drop(while: isSlash) : behind.dropFirst())
            }
            copy(base)
            readPath(behind)
        case .some(UInt8(ascii: "?")):
            copy(base, path: true)
            guardPathWithoutAuthority()
            readQueryAndFragment(rest)
        case .none, .some(UInt8(ascii: "#")):
            copy(base, path: true, query: true)
            guardPathWithoutAuthority()
            readQueryAndFragment(rest)
        default:
            copy(base, path: true)
            shortenPath()
            readPath(rest)
        }
        return true
    }

    /// Reads `user:password@host:port` and what follows. The output ends behind the scheme's colon.
    private mutating func readAuthority(_ rest: ArraySlice<UInt8>) -> Bool {
        let end = rest.firstIndex(where: endsAuthority) ?? rest.endIndex
        var hostAndPort = rest[rest.startIndex..<end]
        output.append(contentsOf: "//".utf8)
        if let at = hostAndPort.lastIndex(of: UInt8(ascii: "@")) {
            appendCredentials(hostAndPort[..<at])
            hostAndPort = hostAndPort[(at + 1)...]
            guard !hostAndPort.isEmpty else { return false }
        }
        var host = hostAndPort
        var port: ArraySlice<UInt8> = []
        if let colon = colonBehindHost(hostAndPort) {
            host = hostAndPort[..<colon]
            port = hostAndPort[(colon + 1)...]
            guard !host.isEmpty else { return false }
        }
        guard !host.isEmpty || kind == .other else { return false }
        guard output.appendHost(host, isSpecial: kind != .other), appendPort(port) else { return false }
        readPathStart(rest[end...])
        return true
    }

    private mutating func appendCredentials(_ userinfo: ArraySlice<UInt8>) {
        let user = userinfo.prefix { $0 != UInt8(ascii: ":") }
        let password = userinfo[user.endIndex...].dropFirst()
        output.append(user, encoding: .userinfo)
        if !password.isEmpty {
            output.append(UInt8(ascii: ":"))
            output.append(password, encoding: .userinfo)
        }
        if !user.isEmpty || !password.isEmpty { output.append(UInt8(ascii: "@")) }
    }

    private func colonBehindHost(_ hostAndPort: ArraySlice<UInt8>) -> Int? {
        var isInBrackets = false
        for index in hostAndPort.indices {
            switch hostAndPort[index] {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ":") where !isInBrackets: return index
            default: break
            }
        }
        return nil
    }

    private mutating func appendPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard !digits.isEmpty else { return true }
        var port = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return false }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
            guard port <= 65535 else { return false }
        }
        let scheme = String(decoding: output[..<schemeEnd], as: UTF8.self)
        // Only the standard's own schemes drop their default port.
        if kind == .other || port != WebURL.defaultPort(of: scheme) { output.append(contentsOf: ":\(port)".utf8) }
        return true
    }
}

// The path and what follows it.
extension URLParser {
    mutating func readPathStart(_ rest: ArraySlice<UInt8>) {
        pathStart = output.count
        if let first = rest.first, isSlash(first) {
            readPath(rest.dropFirst())
        } else if kind != .other {
            readPath(rest)
        } else {
            pathEnd = output.count
            readQueryAndFragment(rest)
        }
    }

    /// Reads segments from behind a slash on, onto whatever path the output has.
    mutating func readPath(_ rest: ArraySlice<UInt8>) {
        var start = rest.startIndex
        while true {
            let end = rest[start...].firstIndex(where: endsAuthority) ?? rest.endIndex
            let segment = rest[start..<end]
            let slashFollows = end < rest.endIndex && isSlash(rest[end])
            switch dotCount(segment) {
            case 2:
                shortenPath()
                if !slashFollows { output.append(UInt8(ascii: "/")) }
            case 1:
                if !slashFollows { output.append(UInt8(ascii: "/")) }
            default:
                let isFirst = output.count == pathStart
                output.append(UInt8(ascii: "/"))
                if kind == .file, isFirst, isDriveLetter(segment) {
                    output.append(segment[segment.startIndex])
                    output.append(UInt8(ascii: ":"))
                } else {
                    output.append(segment, encoding: .path)
                }
            }
            start = end
            guard slashFollows else { break }
            start = end + 1
        }
        guardPathWithoutAuthority()
        pathEnd = output.count
        readQueryAndFragment(rest[start...])
    }

    /// A path that starts with two slashes must not be read as an authority again: `/.` stands before it then.
    private mutating func guardPathWithoutAuthority() {
        guard kind == .other, pathStart == schemeEnd + 1, output[pathStart...].starts(with: "//".utf8) else { return }
        output.insert(contentsOf: "/.".utf8, at: pathStart)
        pathStart += 2
        pathEnd += 2
        queryEnd += 2
    }

    /// Takes the path's last segment off; a file URL keeps a drive letter that is all it has.
    private mutating func shortenPath() {
        guard let slash = output[pathStart...].lastIndex(of: UInt8(ascii: "/")) else { return }
        if kind == .file, slash == pathStart, isNormalisedDriveLetter(output[(slash + 1)...]) { return }
        output.removeSubrange(slash...)
    }

    private mutating func readOpaquePath(_ rest: ArraySlice<UInt8>) {
        let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        output.append(rest[rest.startIndex..<end], encoding: .control)
        if end < rest.endIndex, output.last == UInt8(ascii: " ") {
            output.removeLast()
            output.append(contentsOf: "%20".utf8)
        }
        pathEnd = output.count
        readQueryAndFragment(rest[end...])
    }

    /// Reads `?query#fragment`, either of which may be missing.
    private mutating func readQueryAndFragment(_ rest: ArraySlice<UInt8>) {
        let hash = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        let query = rest[rest.startIndex..<hash]
        if !query.isEmpty {
            output.append(UInt8(ascii: "?"))
            output.append(query.dropFirst(), encoding: kind == .other ? .query : .specialQuery)
        }
        queryEnd = output.count
        if hash < rest.endIndex {
            output.append(UInt8(ascii: "#"))
            output.append(rest[(hash + 1)...], encoding: .fragment)
        }
    }

    /// 1 for `.`, 2 for `..`, either dot plain or as `%2e`; 0 for any other segment.
    private func dotCount(_ segment: ArraySlice<UInt8>) -> Int {
        guard !segment.isEmpty, segment.count <= 6 else { return 0 }
        var rest = segment
        var dots = 0
        while let first = rest.first {
            if first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.count >= 3, first == UInt8(ascii: "%"), rest[rest.startIndex + 1] == UInt8(ascii: "2"),
                asciiLowercased(rest[rest.startIndex + 2]) == UInt8(ascii: "e")
            {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            dots += 1
        }
        return dots <= 2 ? dots : 0
    }
}

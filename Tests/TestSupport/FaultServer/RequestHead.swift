import SyncCore

/// The head of a request in its parts.
struct RequestHead {
    let method: String
    let target: String
    let version: String
    let fields: [HeaderField]

    /// Reads a head with its blank line; nil where the request line is none.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let requestLine = lines.first?.split(separator: " "), requestLine.count == 3 else { return nil }
        method = String(requestLine[0])
        target = String(requestLine[1])
        version = String(requestLine[2])
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return HeaderField(name: String(line[..<colon]), value: String(value))
        }
    }

    /// The length of the request's body.
    var contentLength: Int {
        fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
    }
}

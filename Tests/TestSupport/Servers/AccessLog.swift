/// A line of the access log of a ``WebServer``.
package struct AccessLogEntry: Hashable, Sendable {
    /// The method.
    package let method: String
    /// The request target as it was sent.
    package let target: String
    /// The protocol, as in `HTTP/1.1`.
    package let version: String
    /// The status of the answer.
    package let status: Int
    /// How many bytes of the answer's body were sent.
    package let bodyBytes: Int64
    /// The value of `Range`.
    package let range: String?
    /// The value of `If-Range`.
    package let ifRange: String?
    /// The value of `If-None-Match`.
    package let ifNoneMatch: String?
    /// Its place among the requests of its connection, from 1. Those with 1 tell the number of connections. Always 1 where
    /// the log does not know it.
    package let numberOnConnection: Int

    /// An entry of a log of another form.
    init(
        method: String, target: String, version: String, status: Int, bodyBytes: Int64, range: String?,
        ifRange: String?, ifNoneMatch: String?
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.status = status
        self.bodyBytes = bodyBytes
        self.range = range
        self.ifRange = ifRange
        self.ifNoneMatch = ifNoneMatch
        numberOnConnection = 1
    }

    /// Reads a line of seven values with tabs between; nil where it is none.
    init?(line: Substring, firstNumber: Int) {
        let values = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)
        guard values.count == 7, let status = Int(values[1]), let bytes = Int64(values[2]), let number = Int(values[6])
        else { return nil }
        let request = values[0].split(separator: " ")
        method = request.first.map(String.init) ?? ""
        target = request.dropFirst().first.map(String.init) ?? ""
        version = request.last.map(String.init) ?? ""
        self.status = status
        bodyBytes = bytes
        range = Self.present(values[3])
        ifRange = Self.present(values[4])
        ifNoneMatch = Self.present(values[5])
        numberOnConnection = number - firstNumber + 1
    }

    /// Apache escapes quotes and backslashes; nginx is told not to.
    private static func unescaped(_ value: Substring) -> String {
        var isEscaped = false
        return value.reduce(into: "") { result, character in
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
    }

    private static func present(_ value: String) -> String? { value.isEmpty || value == "-" ? nil : value }
}

extension [AccessLogEntry] {
    /// The bytes of all bodies.
    package var bodyBytes: Int64 { reduce(0) { $0 + $1.bodyBytes } }
    /// How many connections brought the requests.
    package var connections: Int { count { $0.numberOnConnection == 1 } }
}

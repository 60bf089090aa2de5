package import SyncCore

/// A request that a ``FaultServer`` received, and what became of its answer.
package struct RecordedRequest: Sendable {
    /// Its place in the order of arrival, from 0.
    package let number: Int
    /// The connection that brought it, from 0 in the order of acceptance.
    package let connection: Int
    /// Its place among the requests of its connection, from 0.
    package let numberOnConnection: Int
    /// The method, `GET` for example.
    package let method: String
    /// The request target as it was sent.
    package let target: String
    /// The version as it was sent: `HTTP/1.1`.
    package let version: String
    /// The fields in their order.
    package let fields: [HeaderField]
    /// The body of the request.
    package let body: [UInt8]

    /// The status that was sent; nil before that, and for answers without a status line.
    package internal(set) var status: Int?
    /// How many bytes of the answer's body were handed to the network, framing not counted.
    package internal(set) var bodyBytesSent: Int64 = 0
    /// Whether the answer was sent to its end. It is set just before the last bytes leave, so that a client that has the
    /// whole answer finds it set.
    package internal(set) var isComplete = false
    /// Whether the server is still busy with it.
    package internal(set) var isActive = true

    /// The path of the target, percent-encoded as it was sent, without the query.
    package var path: String {
        var path = Substring(target)
        // A client that takes this server for its proxy sends the absolute form (RFC 9112 §3.2.2).
        if path.hasPrefix("http://") {
            path = path.dropFirst(7)
            path = path.drop { $0 != "/" }
        }
        return String(path.prefix { $0 != "?" })
    }

    /// The query of the target; nil where there is none.
    package var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The value of the first field of a name; letter case does not matter.
    package func field(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    /// The value of `Range`.
    package var range: String? { field("Range") }
}

extension RecordedRequest: CustomStringConvertible {
    /// The request in one line, for failure messages.
    package var description: String {
        let range = range.map { " [\($0)]" } ?? ""
        let status = status.map(String.init) ?? "no status"
        return "\(method) \(target)\(range) on \(connection): \(status), \(bodyBytesSent) bytes"
            + (isComplete ? "" : isActive ? ", active" : ", cut")
    }
}

/// Which requests a step of a script is for.
package struct RequestFilter: Sendable {
    package let matches: @Sendable (RecordedRequest) -> Bool

    /// The requests for which `matches` is true.
    package init(_ matches: @escaping @Sendable (RecordedRequest) -> Bool) { self.matches = matches }

    /// Every request.
    package static let any = RequestFilter { _ in true }
    /// HEAD.
    package static let head = method("HEAD")
    /// GET.
    package static let get = method("GET")
    /// Those with a `Range`.
    package static let ranged = RequestFilter { $0.range != nil }
    /// GETs without a `Range`.
    package static let unranged = RequestFilter { $0.method == "GET" && $0.range == nil }
    /// Those with `If-None-Match` or `If-Modified-Since`.
    package static let conditional = RequestFilter {
        $0.field("If-None-Match") != nil || $0.field("If-Modified-Since") != nil
    }

    /// Those of a method.
    package static func method(_ method: String) -> RequestFilter { RequestFilter { $0.method == method } }
    /// Those whose range begins at a byte.
    package static func rangeStarting(at start: Int64) -> RequestFilter {
        RequestFilter { $0.range?.hasPrefix("bytes=\(start)-") == true }
    }
    /// Those whose range names both ends and is longer than this.
    package static func rangeLonger(than count: Int64) -> RequestFilter {
        RequestFilter { request in
            guard let range = request.range, range.hasPrefix("bytes=") else { return false }
            let ends = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
            return ends.count == 2 && ends[1] - ends[0] >= count
        }
    }
    /// Those whose path is this.
    package static func path(_ path: String) -> RequestFilter { RequestFilter { $0.path == path } }
    /// Those that carry a field, whatever its value.
    package static func with(_ name: String) -> RequestFilter { RequestFilter { $0.field(name) != nil } }
    /// Those that carry a field of just this value.
    package static func with(_ name: String, _ value: String) -> RequestFilter {
        RequestFilter { $0.field(name) == value }
    }
    /// Those that lack what another filter wants.
    package static prefix func ! (filter: RequestFilter) -> RequestFilter { RequestFilter { !filter.matches($0) } }
    /// Those that both filters want.
    package static func && (left: RequestFilter, right: RequestFilter) -> RequestFilter {
        RequestFilter { left.matches($0) && right.matches($0) }
    }
}

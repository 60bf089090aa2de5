/// A row of an index page.
package struct IndexRow: Sendable {
    /// The name, decoded; a directory's ends with a slash.
    package let name: String
    /// The size in bytes; nil shows `-`.
    package let size: Int64?
    /// The date in seconds since 1970.
    package let modified: Int64

    /// A row.
    package init(_ name: String, size: Int64? = nil, modified: Int64 = Resource.ordinaryDate) {
        self.name = name
        self.size = size
        self.modified = modified
    }
}

/// An index page as nginx's autoindex makes it: the parent, then the rows in the order given; visible names are cut after
/// 50 characters, dates are in UTC and sizes exact.
package func nginxIndexPage(of path: String, _ rows: [IndexRow]) -> String {
    let title = "Index of \(escapedForHTML(path))"
    var page =
        "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n<h1>\(title)</h1><hr><pre><a href=\"../\">../</a>\r\n"
    for row in rows {
        let isLong = row.name.count > 50
        let shown = isLong ? row.name.prefix(47) + "..>" : row.name[...]
        let padding = String(repeating: " ", count: 51 - shown.count)
        let date = CivilDate(secondsSinceEpoch: row.modified)
        let size = row.size.map(String.init) ?? "-"
        page +=
            "<a href=\"\(percentEncoded(row.name))\">\(escapedForHTML(String(shown)))</a>\(padding)"
            + "\(twoDigits(date.day))-\(date.monthName)-\(date.year) \(twoDigits(date.hour)):\(twoDigits(date.minute))"
            + String(repeating: " ", count: max(1, 20 - size.count)) + size + "\r\n"
    }
    return page + "</pre><hr></body>\r\n</html>\r\n"
}

/// A name as the segment of a URL: every byte but the unreserved ones is encoded (RFC 3986 §2.3), a slash at the end is not.
package func percentEncoded(_ name: String) -> String {
    name.utf8.reduce(into: "") { result, byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            result.unicodeScalars.append(Unicode.Scalar(byte))
        default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}

private func escapedForHTML(_ text: String) -> String {
    text.reduce(into: "") { result, character in
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        default: result.append(character)
        }
    }
}

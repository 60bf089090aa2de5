/// Where the parts of a serialisation lie.
struct URLOffsets {
    var schemeEnd: Int
    var pathStart: Int
    var pathEnd: Int
    var queryEnd: Int

    /// The offsets of a URL that is its own serialisation already: an `http` or `https` URL of plain ASCII whose host
    /// is a name in lower case, without port, credentials, fragment or dot segments. Most lines of most lists are; the
    /// text is kept as it is. Nil means that the parser must look.
    init?(plain bytes: Span<UInt8>) {
        let count = bytes.count
        guard count > 8, count <= WebURL.maximumLength, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"),
            bytes[2] == UInt8(ascii: "t"), bytes[3] == UInt8(ascii: "p")
        else { return nil }
        schemeEnd = bytes[4] == UInt8(ascii: "s") ? 5 : 4
        guard bytes[schemeEnd] == UInt8(ascii: ":"), bytes[schemeEnd + 1] == UInt8(ascii: "/"),
            bytes[schemeEnd + 2] == UInt8(ascii: "/")
        else { return nil }
        var index = schemeEnd + 3
        var labelStart = index
        while index < count, bytes[index] != UInt8(ascii: "/") {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                // Punycode.
                if index == labelStart + 3, bytes[labelStart] == UInt8(ascii: "x"), bytes[index] == UInt8(ascii: "-") {
                    return nil
                }
            case UInt8(ascii: "."): labelStart = index + 1
            default: return nil
            }
            index += 1
        }
        // A last label that starts with a digit may be part of an IPv4 address.
        guard index < count, labelStart < index, bytes[labelStart] > UInt8(ascii: "9") else { return nil }
        pathStart = index
        while index < count, bytes[index] != UInt8(ascii: "?") {
            let byte = bytes[index]
            if PercentEncodeSet.path.contains(byte) || byte == UInt8(ascii: "\\") { return nil }
            index += 1
            // A segment that starts with a dot, plain or encoded, may be a dot segment.
            if byte == UInt8(ascii: "/"), index < count,
                bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: "%")
            {
                return nil
            }
        }
        pathEnd = index
        if index < count { index += 1 }
        while index < count {
            if PercentEncodeSet.specialQuery.contains(bytes[index]) { return nil }
            index += 1
        }
        queryEnd = count
    }

    init(schemeEnd: Int, pathStart: Int, pathEnd: Int, queryEnd: Int) {
        self.schemeEnd = schemeEnd
        self.pathStart = pathStart
        self.pathEnd = pathEnd
        self.queryEnd = queryEnd
    }
}

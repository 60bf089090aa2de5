/// A link of a `Link` field that names another place of the same file (RFC 6249 §3).
struct DuplicateLink: Hashable {
    /// The reference between the angle brackets.
    var reference: [UInt8]
    /// `pri`: 1 is best; what names none comes last.
    var priority: Int64
}

/// The links of a field whose relation is `duplicate` (RFC 8288 §3). What is no link is passed over, and all behind a
/// bracket that is not closed.
func duplicateLinks(_ value: ArraySlice<UInt8>) -> [DuplicateLink] {
    var links: [DuplicateLink] = []
    var rest = trimmedField(value)
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
        guard let close = rest[open...].firstIndex(of: UInt8(ascii: ">")) else { break }
        let reference = trimmedField(rest[(open + 1)..<close])
        let parameters = parametersOfLink(rest[(close + 1)...])
        rest = rest[parameters.endIndex...]
        var isDuplicate = false
        var priority = Int64.max
        for part in splitOutsideQuotes(parameters, at: UInt8(ascii: ";")) {
            guard let (name, value) = parameter(part) else { continue }
            if equalsIgnoringCase(name, "rel") {
                isDuplicate = unquoted(value).split(separator: 0x20).contains { equalsIgnoringCase($0, "duplicate") }
            } else if equalsIgnoringCase(name, "pri"), let number = decimal(unquoted(value)[...]), number > 0 {
                priority = number
            }
        }
        guard isDuplicate, !reference.isEmpty else { continue }
        links.append(DuplicateLink(reference: Array(reference), priority: priority))
    }
    return links
}

/// What stands behind a link's bracket, up to the comma before the next link.
private func parametersOfLink(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var isQuoted = false
    var isEscaped = false
    for index in value.indices {
        let byte = value[index]
        if isEscaped {
            isEscaped = false
        } else if isQuoted {
            if byte == UInt8(ascii: "\\") { isEscaped = true }
            if byte == UInt8(ascii: "\"") { isQuoted = false }
        } else if byte == UInt8(ascii: "\"") {
            isQuoted = true
        } else if byte == UInt8(ascii: ",") {
            return value[..<index]
        }
    }
    return value
}

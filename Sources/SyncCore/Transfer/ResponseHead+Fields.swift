// The grammar that fields' values share (RFC 9110 §5.6). All of it takes what it is given and never traps.

/// A value without the blanks around it.
func trimmedField(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes.drop(while: isFieldBlank)
    while let last = rest.last, isFieldBlank(last) { rest.removeLast() }
    return rest
}

/// Whether a byte is a blank or ends a line.
func isFieldBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

/// Whether bytes are an ASCII text in any case. The text is in lower case.
func equalsIgnoringCase(_ bytes: ArraySlice<UInt8>, _ lower: String) -> Bool {
    bytes.count == lower.utf8.count && bytes.elementsEqual(lower.utf8) { asciiLowercased($0) == $1 }
}

/// Takes the digits that a text starts with off it, as a number; nil where there are none, and for more than 64 bits hold.
func takeDecimal(_ text: inout ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    var index = text.startIndex
    while index < text.endIndex, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] {
        let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = product.addingReportingOverflow(Int64(text[index] & 15))
        guard !productOverflow, !sumOverflow else { return nil }
        value = sum
        index += 1
    }
    guard index > text.startIndex else { return nil }
    text = text[index...]
    return value
}

/// Digits alone as a number; nil for anything else, and for more than 64 bits hold where no cap is given.
func decimal(_ digits: ArraySlice<UInt8>, cappedAt cap: Int64? = nil) -> Int64? {
    var rest = digits
    guard let value = takeDecimal(&rest) else {
        // Digits without a value are too many of them.
        let areDigits = !digits.isEmpty && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return areDigits ? cap : nil
    }
    guard rest.isEmpty else { return nil }
    return cap.map { min(value, $0) } ?? value
}

/// A value's parts between separators that stand outside quoted strings, each without blanks around it.
func splitOutsideQuotes(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in bytes.indices {
        let byte = bytes[index]
        if isEscaped {
            isEscaped = false
        } else if isQuoted {
            if byte == UInt8(ascii: "\\") { isEscaped = true }
            if byte == UInt8(ascii: "\"") { isQuoted = false }
        } else if byte == UInt8(ascii: "\"") {
            isQuoted = true
        } else if byte == separator {
            parts.append(trimmedField(bytes[start..<index]))
            start = index + 1
        }
    }
    parts.append(trimmedField(bytes[start...]))
    return parts
}

/// A parameter's name and value, as in `charset=utf-8`; nil where there is no `=`.
func parameter(_ part: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (trimmedField(part[part.startIndex..<equals]), trimmedField(part[(equals + 1)...]))
}

/// A token as it is, or a quoted string's content (RFC 9110 §5.6.4). A quote that is not closed ends with the value.
func unquoted(_ value: ArraySlice<UInt8>) -> [UInt8] {
    guard value.first == UInt8(ascii: "\"") else { return Array(value) }
    var content: [UInt8] = []
    var isEscaped = false
    for byte in value.dropFirst() {
        if isEscaped {
            content.append(byte)
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            break
        } else {
            content.append(byte)
        }
    }
    return content
}

/// The media type in lower case, and its charset in lower case (RFC 9110 §8.3).
func mediaTypeAndCharset(_ value: ArraySlice<UInt8>) -> (mediaType: String?, charset: String?) {
    let type = trimmedField(value.prefix { $0 != UInt8(ascii: ";") })
    let parameters = value[type.endIndex...]
    let charset =
        parameters.isEmpty
        ? nil
        : splitOutsideQuotes(parameters, at: UInt8(ascii: ";"))
            .lazy.compactMap(parameter).first { equalsIgnoringCase($0.name, "charset") }
    return (
        type.isEmpty ? nil : String(decoding: type.map(asciiLowercased), as: UTF8.self),
        charset.map { String(decoding: unquoted($0.value).map(asciiLowercased), as: UTF8.self) }
    )
}

/// The content codings that make a body something else than the file, in lower case, as in `gzip`; nil for none.
///
/// Besides `identity`, names that are no codings and that servers send with plain bytes are dropped: `none`, `binary`
/// and charsets by mistake, and `aws-chunked`, which S3 keeps from an upload and returns with the finished object.
func contentCoding(_ value: ArraySlice<UInt8>) -> String? {
    guard !value.isEmpty else { return nil }
    var codings: [String] = []
    for part in splitOutsideQuotes(value, at: UInt8(ascii: ",")) where !part.isEmpty {
        switch String(decoding: part.map(asciiLowercased), as: UTF8.self) {
        case "identity", "none", "binary", "8bit", "utf-8", "utf8", "aws-chunked": break
        case "x-gzip": codings.append("gzip")
        case "x-compress": codings.append("compress")
        case let coding: codings.append(coding)
        }
    }
    return codings.isEmpty ? nil : codings.joined(separator: ", ")
}

/// The file name that `Content-Disposition` suggests (RFC 6266): `filename*` (RFC 8187) where it can be read, else
/// `filename` as its bytes are. Nothing is made safe: it may hold slashes.
func dispositionFileName(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    var plain: [UInt8]?
    var extended: [UInt8]?
    for part in splitOutsideQuotes(value, at: UInt8(ascii: ";")) {
        guard let (name, value) = parameter(part) else { continue }
        if extended == nil, equalsIgnoringCase(name, "filename*") {
            extended = extendedValue(unquoted(value)[...])
        } else if plain == nil, equalsIgnoringCase(name, "filename") {
            plain = unquoted(value)
        }
    }
    let name = extended ?? plain
    return name?.isEmpty == true ? nil : name
}

/// `charset'language'percent-encoded` as UTF-8 (RFC 8187 §3.2.1); nil for another charset or bytes not of it.
private func extendedValue(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = percentDecoded(parts[2])
    if equalsIgnoringCase(parts[0], "utf-8") {
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }
    guard equalsIgnoringCase(parts[0], "iso-8859-1") else { return nil }
    return bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
}

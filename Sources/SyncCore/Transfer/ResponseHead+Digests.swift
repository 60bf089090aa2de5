/// The digests of a `Repr-Digest` field, `sha-256=:…:` (RFC 9530 §3), or a `Digest` field, `SHA-256=…` (RFC 3230). What
/// is of an unknown algorithm or does not decode to its length is passed over.
func digestFieldValues(_ value: ArraySlice<UInt8>) -> [Digest] {
    splitOutsideQuotes(value, at: UInt8(ascii: ",")).compactMap { part in
        guard let (name, encoded) = parameter(part),
            let algorithm = DigestAlgorithm(name: String(decoding: name, as: UTF8.self))
        else { return nil }
        // A structured field's byte sequence stands between colons and may have parameters (RFC 8941 §3.3.5).
        var base64 = encoded
        if base64.first == UInt8(ascii: ":") {
            base64 = base64.dropFirst().prefix { $0 != UInt8(ascii: ":") }
        }
        return base64Decoded(base64).flatMap { Digest(algorithm, bytes: $0) }
    }
}

/// The digest of a `Content-MD5` field (RFC 1864).
func contentMD5(_ value: ArraySlice<UInt8>) -> Digest? {
    base64Decoded(trimmedField(value)).flatMap { Digest(.md5, bytes: $0) }
}

/// Decodes base64 (RFC 4648 §4), with or without its padding; nil for any other byte.
package func base64Decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    let padding = text[digits.endIndex...]
    guard padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits {
        guard let value = base64Value(digit) else { return nil }
        bits = (bits << 6 | UInt32(value)) & 0xFFFF
        bitCount += 6
        if bitCount >= 8 {
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
    }
    return bytes
}

private func base64Value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}

/// Takes the armour of a signed text away (RFC 9580 §7): gives the text's own lines. The signature is not checked.
struct Clearsign {
    private enum Part {
        case plain
        case headers
        case text
        case signature
        case after
    }

    private var part = Part.plain
    private var isAtStart = true

    /// Whether the text was signed and its signature ended, or was not signed at all.
    var isWhole: Bool { part == .plain || part == .after }

    /// The line as the signed text has it; nil for one of the armour. Lines are to come without their ends.
    mutating func take(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        switch part {
        case .plain:
            guard isAtStart else { return line }
            if trimmed(line).elementsEqual("-----BEGIN PGP SIGNED MESSAGE-----".utf8) {
                part = .headers
                return nil
            }
            if !trimmed(line).isEmpty { isAtStart = false }
            return line
        case .headers:
            if trimmed(line).isEmpty { part = .text }
            return nil
        case .text:
            guard line.first == UInt8(ascii: "-") else { return line }
            if line.starts(with: "-----BEGIN PGP SIGNATURE-----".utf8) {
                part = .signature
                return nil
            }
            return line.starts(with: "- ".utf8) ? line.dropFirst(2) : line
        case .signature:
            if line.starts(with: "-----END PGP SIGNATURE-----".utf8) { part = .after }
            return nil
        case .after: return nil
        }
    }
}

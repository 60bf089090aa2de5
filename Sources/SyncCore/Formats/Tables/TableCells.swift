// What the cells of a table say.

/// Whether a cell stands for nothing, as people and programs write it.
func isNothing(_ cell: ArraySlice<UInt8>) -> Bool {
    guard cell.count <= 4 else { return false }
    return ["", "-", "na", "n/a", "nan", "none", "null", "nil"].contains { asciiLowercase(cell).elementsEqual($0.utf8) }
}

/// A size in a cell: bytes, also as `1234.0`, which programs make of numbers in columns with gaps, or rounded with a unit.
/// Nil for what is no size.
func tableSize(_ cell: ArraySlice<UInt8>) -> SizeKnowledge? {
    if let size = decimalValue(cell) { return .exact(size) }
    if let dot = cell.lastIndex(of: UInt8(ascii: ".")), cell[(dot + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") }),
        let size = decimalValue(cell[..<dot])
    {
        return .exact(size)
    }
    return ListedSize(whole: cell)?.size
}

/// A digest in a cell: hexadecimal digits or base64, by itself or behind its algorithm's name, as in `md5:9e10…`.
///
/// - Parameters:
///   - algorithm: What the column or another cell says; nil to tell it by the cell.
/// - Returns: Nil for one that is not computed here. `isFault` for what is no digest of its algorithm.
func tableDigest(_ cell: ArraySlice<UInt8>, _ algorithm: DigestAlgorithm?) -> (digest: Digest?, isFault: Bool) {
    var value = cell
    var algorithm = algorithm
    if let mark = cell.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
        mark < cell.endIndex - 2,
        ChecksumKind(tag: cell[..<mark]) != nil || cell[mark] == UInt8(ascii: ":")
    {
        guard case .known(let named) = ChecksumKind(tag: cell[..<mark]), algorithm ?? named == named else {
            return (nil, ChecksumKind(tag: cell[..<mark]) == nil)
        }
        algorithm = named
        value = cell[(mark + 1)...]
    }
    if algorithm == nil, value.allSatisfy({ hexValue($0) != nil }) {
        guard let kind = ChecksumKind(digits: value.count, in: .usual) else { return (nil, value.count != 8) }
        if case .known(let found) = kind { algorithm = found }
    }
    guard let algorithm else { return (nil, true) }
    if let digest = Digest(algorithm, hex: value) { return (digest, false) }
    let digest = base64Decoded(value).flatMap { Digest(algorithm, bytes: $0) }
    return (digest, digest == nil)
}

/// A field of a table of TABs without the quotes that some programs put around every text.
func unquoted(_ field: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard field.count >= 2, field.first == quote, field.last == quote else { return field }
    var plain: [UInt8] = []
    var isSecond = false
    for byte in field.dropFirst().dropLast() {
        if byte == quote, !isSecond {
            isSecond = true
            continue
        }
        isSecond = false
        plain.append(byte)
    }
    return plain
}

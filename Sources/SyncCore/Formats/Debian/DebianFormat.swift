extension ManifestFormat {
    /// Debian's indices. Recognised by the name of the first field, behind the armour of a signed text.
    package static let debian = ManifestFormat(
        name: "debian",
        recognises: { start, context in looksLikeDebian(start, context) },
        makeReader: { context in DebianReader(context: context) })
}

private func looksLikeDebian(_ start: ArraySlice<UInt8>, _ context: ManifestContext) -> Bool {
    var armour = Clearsign()
    let lines = startLines(of: start, charset: context.charset).compactMap { armour.take($0) }
    guard let line = lines.first(where: { !trimmed($0).isEmpty && $0.first != UInt8(ascii: "#") }),
        !line.contains(0), let colon = line.firstIndex(of: UInt8(ascii: ":")),
        colon + 1 == line.endIndex || isBlank(line[colon + 1])
    else { return false }
    let name = line[..<colon]
    return DebianField(name) != nil
        || DebianField.firstFields.contains(String(decoding: asciiLowercase(name), as: UTF8.self))
}

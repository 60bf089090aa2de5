/// What a document that no reader takes looks like, in words that complete "it …", such as "looks like a PNG image".
package func describeContent(_ start: ArraySlice<UInt8>) -> String {
    if start.isEmpty { return "is empty" }
    for (magic, name) in magics where start.starts(with: magic) { return "looks like \(name)" }
    if start.count > 262, start.dropFirst(257).starts(with: "ustar".utf8) { return "looks like a tar archive" }
    var decoder = UnicodeDecoder()
    let text = Array(decoder.decode(start)) + decoder.finish().rest
    guard let first = text.first(where: { !isBlank($0) && $0 != 0x0A && $0 != 0x0D }) else {
        return "holds only blanks"
    }
    if text.contains(0) { return "looks like binary data" }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return "looks like JSON"
    case UInt8(ascii: "<"): return "looks like XML of a kind that is not known"
    default: return "looks like text whose first line is no URL"
    }
}

private let magics: [(magic: [UInt8], name: String)] = [
    ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
    (Array("GIF8".utf8), "a GIF image"),
    (Array("%PDF-".utf8), "a PDF document"), ([0x1F, 0x8B], "gzip data"), ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz data"), (Array("BZh".utf8), "bzip2 data"),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"), ([0x50, 0x4B, 0x05, 0x06], "an empty ZIP archive"),
    ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive"), ([0x7F, 0x45, 0x4C, 0x46], "an ELF program"),
    (Array("!<arch>".utf8), "an ar archive or Debian package"), ([0xED, 0xAB, 0xEE, 0xDB], "an RPM package"),
    (Array("SQLite format 3".utf8), "an SQLite database"), (Array("d8:announce".utf8), "a BitTorrent file"),
    (Array("d4:info".utf8), "a BitTorrent file"),
]

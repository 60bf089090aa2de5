/// One object of a JSON listing, as its members come.
struct JSONListingRow {
    var name: JSONText?
    var address: JSONText?
    var isDirectory: Bool?
    /// Whether the type is of what is neither file nor directory, such as nginx's `other` for a link that leads nowhere.
    var isOther = false
    var size: SizeKnowledge = .unknown
    var modified: ListedDate?

    private enum Member {
        case name
        case address
        case type
        case isDirectory
        case size
        case modified
    }

    /// What the servers that make JSON listings call their members.
    private static let members: [String: Member] = [
        "name": .name, "filename": .name, "base": .name,
        "url": .address, "uri": .address, "href": .address,
        "type": .type, "kind": .type, "path_type": .type,
        "is_dir": .isDirectory, "isdir": .isDirectory, "is_directory": .isDirectory, "isdirectory": .isDirectory,
        "size": .size, "bytes": .size, "length": .size, "sz": .size,
        "mtime": .modified, "mod_time": .modified, "modtime": .modified, "modified": .modified,
        "last_modified": .modified, "lastmodified": .modified, "last-modified": .modified, "ts": .modified,
    ]

    /// Takes a member whose value is no object or array.
    mutating func take(_ name: [UInt8], _ value: JSONToken) {
        guard let member = Self.members[String(decoding: asciiLowercase(name), as: UTF8.self)] else { return }
        switch (member, value) {
        case (.name, .string(let text)): self.name = text
        case (.address, .string(let text)): address = text
        case (.isDirectory, .bool(let flag)): isDirectory = flag
        case (.type, .string(let text)): takeType(text.bytes)
        case (.size, .number(let digits)): size = decimalValue(digits).map { .exact($0) } ?? .unknown
        case (.size, .string(let text)): size = tableSize(text.bytes[...]) ?? .unknown
        case (.modified, .string(let text)): modified = listedDate(whole: text.bytes[...])?.date
        case (.modified, .number(let digits)): modified = Self.date(sinceEpoch: digits)
        default: break
        }
    }

    private mutating func takeType(_ type: [UInt8]) {
        switch String(decoding: asciiLowercase(type.prefix(16)), as: UTF8.self) {
        case "directory", "dir", "d", "folder", "symlinkdir": isDirectory = true
        case "file", "f", "regular", "symlinkfile": isDirectory = isDirectory ?? false
        case "other", "special", "socket", "fifo", "pipe", "device", "chardev", "blockdev": isOther = true
        // A media type, or a link to who knows what.
        default: break
        }
    }

    /// Seconds since 1970 with or without decimals, or milliseconds: seconds of more than 11 digits are thousands of years
    /// away.
    private static func date(sinceEpoch digits: [UInt8]) -> ListedDate? {
        if digits.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return nil }
        var whole = digits.prefix(while: isDigit)
        var fraction = digits.dropFirst(whole.count + 1)
        if whole.count > 11 {
            fraction = whole.suffix(3)
            whole = whole.dropLast(3)
        }
        guard let seconds = decimalValue(whole), seconds > 0, seconds < 253_402_300_800 else { return nil }
        return ListedDate(
            secondsSinceEpoch: seconds, hasZone: true, precision: ListedDate.Precision(fractionDigits: fraction))
    }
}

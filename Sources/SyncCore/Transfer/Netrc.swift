/// A user name and a password, as bytes: neither need be UTF-8.
package struct Login: Hashable, Sendable {
    package var user: [UInt8]
    package var password: [UInt8]

    package init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }
}

/// The entries of a `.netrc` file, in the file's order (https://everything.curl.dev/usingcurl/netrc).
package struct Netrc: Hashable, Sendable {
    private struct Machine: Hashable {
        /// In lower case; nil for the `default` entry.
        var host: [UInt8]?
        var login: [UInt8]?
        var password: [UInt8]?
    }

    private var machines: [Machine] = []

    /// Reads a file's bytes. `macdef` and its lines, `account` and unknown words are passed over; an entry without a
    /// password has an empty one.
    package init(_ bytes: [UInt8]) {
        var reader = NetrcWords(bytes)
        while let word = reader.next() {
            switch String(decoding: word, as: UTF8.self) {
            case "machine":
                guard let host = reader.next() else { return }
                machines.append(Machine(host: host.map(asciiLowercased)))
            case "default":
                machines.append(Machine(host: nil))
            case "login":
                set(\.login, reader.next())
            case "password":
                set(\.password, reader.next())
            case "account":
                _ = reader.next()
            case "macdef":
                reader.skipMacro()
            default:
                break
            }
        }
    }

    private mutating func set(_ member: WritableKeyPath<Machine, [UInt8]?>, _ value: [UInt8]?) {
        guard let last = machines.indices.last else { return }
        machines[last][keyPath: member] = value
    }

    /// The login for a host: of several entries the first that fits, and if a user is named, the first of that user.
    ///
    /// - Parameters:
    ///   - host: The host in lower case, without a port.
    ///   - user: The user that the URL names, if it names one.
    ///   - allowsDefault: Whether the `default` entry may serve. It is for hosts that the person chose, not for any that a
    ///     manifest names.
    package func login(host: String, user: [UInt8]? = nil, allowsDefault: Bool) -> Login? {
        let bytes = Array(host.utf8)
        for machine in machines {
            guard machine.host == bytes || (machine.host == nil && allowsDefault) else { continue }
            if let user, let login = machine.login, login != user { continue }
            guard let name = machine.login ?? user else { continue }
            return Login(user: name, password: machine.password ?? [])
        }
        return nil
    }
}

/// The words of a netrc file: divided by blanks and line ends, quoted with `"` and `\`, `#` to the end of the line.
private struct NetrcWords {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    mutating func next() -> [UInt8]? {
        while position < bytes.count {
            if Self.isSpace(bytes[position]) {
                position += 1
            } else if bytes[position] == UInt8(ascii: "#") {
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            } else {
                return bytes[position] == UInt8(ascii: "\"") ? quoted() : plain()
            }
        }
        return nil
    }

    private mutating func plain() -> [UInt8] {
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
        return Array(bytes[start..<position])
    }

    private mutating func quoted() -> [UInt8] {
        position += 1
        var word: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count {
                position += 1
                word.append(Self.escaped(bytes[position]))
            } else {
                word.append(bytes[position])
            }
            position += 1
        }
        position += 1
        return word
    }

    private static func escaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// A macro runs to the next empty line.
    mutating func skipMacro() {
        while position < bytes.count {
            if bytes[position] == 0x0A, position + 1 == bytes.count || bytes[position + 1] == 0x0A { return }
            position += 1
        }
    }
}

// File URLs, which a listing may link to and which are refused later, by name.
extension URLParser {
    mutating func readFile(_ rest: ArraySlice<UInt8>, base: WebURL?) -> Bool {
        if let first = rest.first, isSlash(first) {
            let behind = rest.dropFirst()
            if let second = behind.first, isSlash(second) { return readFileHost(behind.dropFirst()) }
            startFile(base)
            if let base, !startsWithDriveLetter(behind) {
                let segment = Array(base.pathBytes.dropFirst().prefix { $0 != UInt8(ascii: "/") })
                if isNormalisedDriveLetter(segment[...]) {
                    output.append(UInt8(ascii: "/"))
                    output.append(contentsOf: segment)
                }
            }
            readPath(behind)
            return true
        }
        guard let base else {
            startFile(nil)
            readPath(rest)
            return true
        }
        if startsWithDriveLetter(rest) {
            copy(base)
            readPath(rest)
            return true
        }
        return readRelative(rest, base: base)
    }

    private mutating func startFile(_ base: WebURL?) {
        if let base {
            copy(base)
        } else {
            output.append(contentsOf: "//".utf8)
            pathStart = output.count
        }
    }

    private mutating func readFileHost(_ rest: ArraySlice<UInt8>) -> Bool {
        let end = rest.firstIndex(where: endsAuthority) ?? rest.endIndex
        let host = rest[rest.startIndex..<end]
        output.append(contentsOf: "//".utf8)
        let hostStart = output.count
        if isDriveLetter(host) {
            pathStart = output.count
            readPath(rest)
            return true
        }
        if !host.isEmpty {
            guard output.appendHost(host, isSpecial: true) else { return false }
            if output[hostStart...].elementsEqual("localhost".utf8) { output.removeSubrange(hostStart...) }
        }
        readPathStart(rest[end...])
        return true
    }

    func isDriveLetter(_ segment: ArraySlice<UInt8>) -> Bool {
        guard segment.count == 2, let first = segment.first, isASCIILetter(first) else { return false }
        return segment.last == UInt8(ascii: ":") || segment.last == UInt8(ascii: "|")
    }

    func isNormalisedDriveLetter(_ segment: ArraySlice<UInt8>) -> Bool {
        isDriveLetter(segment) && segment.last == UInt8(ascii: ":")
    }

    private func startsWithDriveLetter(_ rest: ArraySlice<UInt8>) -> Bool {
        guard isDriveLetter(rest.prefix(2)) else { return false }
        guard let third = rest.dropFirst(2).first else { return true }
        return endsAuthority(third)
    }
}

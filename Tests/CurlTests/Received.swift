import Curl

/// Keeps what a transfer brings, and answers as the test wants.
final class Received: TransferReceiver {
    var lines: [String] = []
    var body: [UInt8] = []
    /// What is said to bytes of a body.
    var flow: (_ bytesBefore: Int) -> BodyFlow = { _ in .proceed }
    /// Whether a line of a head is taken.
    var takes: (_ line: String) -> Bool = { _ in true }

    /// Addresses that may not be connected to.
    var refusedAddresses: Set<String> = []
    /// Addresses to which a connection was about to be made.
    var addresses: [String?] = []

    func mayConnect(to address: String?) -> Bool {
        addresses.append(address)
        return address.map { !refusedAddresses.contains($0) } ?? true
    }

    /// How often a connection was found to carry several transfers.
    var streamsFound = 0

    func foundStreams() { streamsFound += 1 }

    func received(headerLine: UnsafeRawBufferPointer) -> Bool {
        let line = String(decoding: headerLine, as: UTF8.self)
        lines.append(line)
        return takes(line)
    }

    func received(body: UnsafeRawBufferPointer) -> BodyFlow {
        defer { self.body += body }
        return flow(self.body.count)
    }
}

/// A handle that is set up for one GET, and what it receives.
struct Prepared {
    let easy: EasyHandle
    let received = Received()

    init(_ url: String, tag: Int = 0, on easy: EasyHandle? = nil) throws(CurlError) {
        if let easy { self.easy = easy } else { self.easy = try EasyHandle() }
        try self.easy.reset()
        try self.easy.set(.url, url)
        try self.easy.set(.noProxy, "*")
        try self.easy.set(.noSignal, 1)
        try self.easy.set(receiver: received)
        self.easy.tag = tag
    }
}

extension MultiHandle {
    /// Drives what is in it until so many transfers have ended, or none is left to end; gives each end by its tag.
    func run(until count: Int, each turn: () throws -> Void = {}) throws -> [Int: CurlCode] {
        var ends: [Int: CurlCode] = [:]
        for _ in 0..<1_000_000 {
            try perform()
            while let (easy, code) = nextEnded() {
                if ends.updateValue(code, forKey: easy.tag) != nil { throw ToldTwice(tag: easy.tag) }
                remove(easy)
            }
            if ends.count >= count { return ends }
            try turn()
            try wait(milliseconds: 100)
        }
        return ends
    }

    /// Runs one transfer to its end.
    func run(_ prepared: Prepared) throws -> CurlCode? {
        try add(prepared.easy)
        return try run(until: 1)[prepared.easy.tag]
    }
}

/// One transfer was said to have ended twice.
struct ToldTwice: Error { let tag: Int }

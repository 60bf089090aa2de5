import SyncCore

/// Sends the body of one answer: its pieces one behind the other, with what the script says on the way.
struct BodySender {
    enum Result { case finished, cut(Ending), lost }

    private let connection: FaultConnection
    private let answer: Answer
    private let request: Int
    private var incidents: ArraySlice<(after: Int64, what: Answer.Incident)>
    private var slices: ArraySlice<BodySlice>
    private var inSlice: Int64 = 0
    private var position: Int64 = 0
    private let total: Int64
    private var dripLeft: Int64 = 0
    private var chunkLeft: Int64 = 0

    private static let blockSize: Int64 = 65536

    init(connection: FaultConnection, answer: Answer, request: Int) {
        self.connection = connection
        self.answer = answer
        self.request = request
        incidents = answer.incidents[...]
        slices = answer.slices[...]
        total = answer.bodyCount
    }

    /// Sends the body.
    consuming func send() -> Result {
        while true {
            while let incident = incidents.first, incident.after <= position {
                incidents.removeFirst()
                switch incident.what {
                case .cut(let ending): return .cut(ending)
                case .gate(let name): guard connection.pass(name) else { return .lost }
                }
            }
            if position == total { break }
            guard sendBlock() else { return .lost }
        }
        return sendEnd() ? .finished : .lost
    }

    /// Sends the bytes up to the next incident, pause or end of a piece, a block at most.
    private mutating func sendBlock() -> Bool {
        if let drip = answer.drip, dripLeft == 0 {
            guard connection.pass(drip.gate) else { return false }
            dripLeft = drip.bytes
        }
        while let slice = slices.first, inSlice == slice.range.count {
            slices.removeFirst()
            inSlice = 0
        }
        guard let slice = slices.first else { return false }
        var count = min(Self.blockSize, slice.range.count - inSlice)
        if let incident = incidents.first { count = min(count, incident.after - position) }
        if answer.drip != nil { count = min(count, dripLeft) }

        var bytes: [UInt8] = []
        if let ending = answer.chunkedEnding {
            if chunkLeft == 0 {
                chunkLeft = min(16384, total - position)
                let isOversized = ending == .oversizedChunk && position == 0
                let size = isOversized ? "FFFFFFFFFFFFFFFFF" : String(chunkLeft, radix: 16)
                if isOversized { chunkLeft = total }
                bytes += Array("\(size)\r\n".utf8)
            }
            count = min(count, chunkLeft)
            chunkLeft -= count
        }
        let start = slice.range.start + inSlice
        bytes += slice.body.bytes(in: ByteRange(start, start + count))
        if answer.chunkedEnding != nil, chunkLeft == 0, answer.chunkedEnding != .oversizedChunk { bytes += [13, 10] }

        let isLast = position + count == total && incidents.isEmpty && answer.chunkedEnding != .proper
        connection.core.count(bytes: count, isLast: isLast, of: request)
        guard connection.send(bytes) else {
            connection.core.takeBack(bytes: count, of: request)
            return false
        }
        position += count
        inSlice += count
        dripLeft -= count
        return true
    }

    /// Sends what stands behind the last byte of a body.
    private func sendEnd() -> Bool {
        connection.core.count(bytes: 0, isLast: true, of: request)
        guard answer.chunkedEnding == .proper else { return true }
        guard connection.send(Array("0\r\n\r\n".utf8)) else {
            connection.core.takeBack(bytes: 0, of: request)
            return false
        }
        return true
    }
}

import SyncCore

/// Does what a download machine says, in an order that chance decides, and throws where the machine wants something that
/// cannot be.
struct SimulatedLoop: ~Copyable {
    /// What no machine may want.
    struct Impossible: Error, CustomStringConvertible {
        let description: String
    }

    enum Outcome: Equatable {
        case complete(Representation)
        case failed(Failure)
    }

    private enum Sink {
        case undecided
        case write(position: Int64, limit: Int64?)
        case keep(most: Int)
        case drop
    }

    private struct Running {
        let request: TransferRequest
        var answer: SimulatedServer.Answer?
        var sink = Sink.undecided
        /// How many bytes of the answer's body have come.
        var come: Int64 = 0
        var kept: [UInt8] = []
        var isCut = false
    }

    private(set) var machine: DownloadMachine
    var server: SimulatedServer
    var random: SplitMix64
    /// Which version each byte of the partial is of; 0 for a byte that was never written.
    private(set) var partial: [UInt8]
    private(set) var outcome: Outcome?
    /// How many bytes were written where one was already, without a discard between.
    private(set) var overwritten = 0
    private(set) var fetched: Int64 = 0
    private(set) var requests: [TransferRequest] = []
    private(set) var discards = 0
    /// The version that the finished file must be, as by a digest; nil where nobody knows.
    var wanted: UInt8?
    private var isOpen = false
    private var running: [TransferID: Running] = [:]
    private var timers = 0
    private var lastID = 0
    private var now = MonotonicTime.zero
    /// How many more versions the server will have.
    var changes = 0

    init(
        _ task: DownloadTask, policy: TransferPolicy, server: SimulatedServer, partial: [UInt8] = [], seed: UInt64
    ) throws {
        random = SplitMix64(seed: seed)
        machine = DownloadMachine(task, policy: policy, seed: random.next())
        self.server = server
        self.partial = partial
        try perform(machine.firstActions, answering: nil)
    }

    /// Goes on until the machine has ended, or for so many steps.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps where outcome == nil { try step() }
    }

    private enum Step {
        case start
        case deliver(TransferID)
        case advance(TransferID)
        case fire
        case split
        case measure
        case change
    }

    /// One step of those that are possible.
    mutating func step() throws {
        let demand = machine.demand
        guard demand >= 0 else { throw Impossible(description: "a demand of \(demand)") }
        var steps: [Step] = []
        if demand > 0 { steps.append(.start) }
        for (id, transfer) in running.sorted(by: { $0.key < $1.key }) {
            steps.append(transfer.answer == nil ? .deliver(id) : .advance(id))
        }
        if timers > 0 { steps.append(.fire) }
        guard !steps.isEmpty else { throw Impossible(description: "nothing runs, waits or is wanted") }
        if machine.splittable > 0 { steps.append(.split) }
        steps.append(.measure)
        if changes > 0 { steps.append(.change) }
        guard let step = steps.randomElement(using: &random) else { return }
        switch step {
        case .start: try start()
        case .deliver(let id): try deliver(id)
        case .advance(let id): try advance(id)
        case .fire:
            timers -= 1
            machine.timerFired()
        case .split: try split()
        case .measure:
            now = now + .milliseconds(Int.random(in: 1...3000, using: &random))
            machine.sampleSpeed(now: now)
        case .change:
            guard Int.random(in: 0..<10, using: &random) == 0, server.current < server.versions.count else { return }
            changes -= 1
            server.current += 1
        }
    }

    private mutating func start() throws {
        lastID += 1
        let id = TransferID(lastID)
        guard let request = machine.request(for: id) else {
            throw Impossible(description: "a demand without a request")
        }
        if request.ifRange != nil, request.range == nil { throw Impossible(description: "If-Range without a range") }
        if request.ifRange?.hasPrefix("W/") == true { throw Impossible(description: "a weak tag in If-Range") }
        requests.append(request)
        running[id] = Running(request: request)
    }

    private mutating func split() throws {
        for id in running.keys.sorted() { report(id) }
        guard machine.splittable > 0 else { return }
        try perform(machine.split(), answering: nil)
        guard machine.demand > 0 else { throw Impossible(description: "a split without a demand") }
        try start()
    }

    private mutating func deliver(_ id: TransferID) throws {
        guard var transfer = running[id] else { return }
        let others = running.values.filter { $0.answer != nil && !$0.isCut }.count
        let answer: SimulatedServer.Answer
        switch server.answer(transfer.request, others: others, using: &random) {
        case .failure(let failure):
            running[id] = nil
            try perform(machine.ended(id, .failed(failure)), answering: nil)
            return
        case .success(let success):
            answer = success
        }
        let (actions, verdict) = machine.received(answer.head, from: answer.url, for: id)
        try perform(actions, answering: id)
        transfer.answer = answer
        switch verdict {
        case .write(let position, let limit):
            guard isOpen else { throw Impossible(description: "a write into a partial that is not open") }
            guard answer.head.status == 200 || answer.head.status == 206, position == answer.body.start else {
                throw Impossible(description: "bytes of \(answer.body) are to be written at \(position)")
            }
            transfer.sink = .write(position: position, limit: limit)
        case .keep(let most): transfer.sink = .keep(most: most)
        case .deliver: throw Impossible(description: "a download is no listing")
        case .drop: transfer.sink = .drop
        case .cut:
            transfer.sink = .drop
            transfer.isCut = true
        }
        if outcome == nil { running[id] = transfer }
    }

    private mutating func advance(_ id: TransferID) throws {
        guard var transfer = running[id], let answer = transfer.answer else { return }
        if transfer.isCut { return try end(id, .cut) }
        let end = min(answer.lostAfter ?? .max, answer.body.count)
        let coming = transfer.come < end ? Int64.random(in: 1...(end - transfer.come), using: &random) : 0
        switch transfer.sink {
        case .undecided: throw Impossible(description: "a body before its head")
        case .write(let position, let limit):
            let room = limit.map { $0 - position } ?? .max
            let written = min(coming, room)
            try write(written, of: answer.version, at: position)
            fetched += written
            transfer.sink = .write(position: position + written, limit: limit)
            transfer.come += written
            transfer.isCut = written < coming
        case .keep(let most):
            transfer.kept += [UInt8](repeating: answer.version, count: Int(coming))
            transfer.come += coming
            transfer.isCut = transfer.kept.count > most
        case .drop:
            transfer.come += coming
            transfer.isCut = coming > 0 && Bool.random(using: &random)
        }
        running[id] = transfer
        if Bool.random(using: &random) { report(id) }
        guard !transfer.isCut, transfer.come == end else { return }
        try self.end(id, answer.lostAfter == nil ? .finished : .failed(Failure(.connectionLost, "lost on the way")))
    }

    private mutating func end(_ id: TransferID, _ end: TransferEnd) throws {
        report(id)
        guard let transfer = running.removeValue(forKey: id) else { return }
        var matches: Bool?
        if case .keep = transfer.sink, let range = transfer.request.range {
            let here = partial[Int(range.start)..<Int(range.end)]
            matches = here.elementsEqual(transfer.kept)
        }
        try perform(machine.ended(id, end, matches: matches), answering: nil)
    }

    private mutating func report(_ id: TransferID) {
        if case .write(let position, _) = running[id]?.sink { machine.progressed(id, to: position) }
    }

    private mutating func write(_ count: Int64, of version: UInt8, at position: Int64) throws {
        guard isOpen else { throw Impossible(description: "a write into a partial that is not open") }
        let end = Int(position + count)
        if partial.count < end { partial += [UInt8](repeating: 0, count: end - partial.count) }
        for index in Int(position)..<end {
            if partial[index] != 0 { overwritten += 1 }
            partial[index] = version
        }
    }

    private mutating func perform(_ actions: [DownloadMachine.Action], answering: TransferID?) throws {
        for action in actions {
            if let outcome { throw Impossible(description: "\(action) after \(outcome)") }
            switch action {
            case .openPartial: isOpen = true
            case .discardPartial:
                for (id, transfer) in running where id != answering {
                    if case .write = transfer.sink, !transfer.isCut {
                        throw Impossible(description: "discarded while transfer \(id.number) writes")
                    }
                }
                partial = []
                isOpen = false
                discards += 1
            case .cancel(let id):
                guard running.removeValue(forKey: id) != nil else {
                    throw Impossible(description: "transfer \(id.number) does not run and is cancelled")
                }
            case .limit(let id, let limit):
                guard let transfer = running[id] else {
                    throw Impossible(description: "transfer \(id.number) does not run and gets a limit")
                }
                guard case .write(let position, _) = transfer.sink else { continue }
                guard limit >= position else { throw Impossible(description: "a limit of what was written before") }
                running[id]?.sink = .write(position: position, limit: limit)
            case .wait: timers += 1
            case .complete(let representation): try complete(representation)
            case .fail(let failure):
                outcome = .failed(failure)
                running = [:]
            }
        }
    }

    private mutating func complete(_ representation: Representation) throws {
        guard isOpen else { throw Impossible(description: "complete without a partial") }
        for (id, transfer) in running {
            if case .write = transfer.sink, !transfer.isCut {
                throw Impossible(description: "complete while transfer \(id.number) writes")
            }
        }
        let length = machine.progress.length ?? machine.progress.held
        guard partial.count >= length else {
            throw Impossible(description: "complete with \(partial.count) of \(length)")
        }
        let bytes = partial.prefix(Int(length))
        guard !bytes.contains(0) else { throw Impossible(description: "complete with a byte that was never written") }
        if let wanted, !bytes.allSatisfy({ $0 == wanted }) {
            try perform(machine.verificationFailed(Failure(.digestMismatch, "wrong bytes")), answering: nil)
            return
        }
        guard Set(bytes).count <= 1 else { throw Impossible(description: "complete with bytes of two versions") }
        if let version = bytes.first, version != SimulatedServer.poison {
            let whole = server.versions[Int(version) - 1]
            guard whole.length == length else {
                throw Impossible(description: "complete with \(length) of \(whole.length ?? -1) bytes")
            }
            guard server.hasFickleTags || representation.agrees(with: whole) else {
                throw Impossible(description: "version \(version) is said to be \(representation)")
            }
        }
        outcome = .complete(representation)
        running = [:]
    }

    /// What is left after the process was killed: the record of the partial, and its bytes as far as the record names
    /// them.
    func killed() -> (start: DownloadTask.Start, partial: [UInt8]) {
        guard let (representation, held) = machine.resumable else { return (.nothing, []) }
        var bytes = [UInt8](repeating: 0, count: Int(representation.length ?? 0))
        for range in held.ranges {
            for index in Int(range.start)..<Int(range.end) { bytes[index] = partial[index] }
        }
        return (.partial(representation, held: held), bytes)
    }
}

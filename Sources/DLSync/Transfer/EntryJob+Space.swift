internal import SyncCore
internal import Synchronization

extension EntryJob {
    /// From this size on, in bytes, the room for a file is looked for and taken before its first byte is written. Smaller
    /// ones find out by writing.
    private static let preallocatedSize: Int64 = 1 << 20

    /// Finds out whether the disk has room for the whole file.
    ///
    /// - Parameter partial: What is here of it, if anything is: its bytes have their room already.
    /// - Throws: ``Failure`` of kind `.diskFull` that names the need and what is left.
    func findRoom(length: Int64?, partial: PartialFile?) throws(Failure) {
        let desk = context.desk
        guard length ?? 0 >= Self.preallocatedSize || desk.minimumFree > 0 else { return }
        let need = length.map { $0 - ((try? partial?.allocatedSize()) ?? 0) } ?? 0
        // A disk that cannot be measured is no reason not to try.
        let free = try? desk.destination.freeSpace()
        let verdict = desk.space.withLock { $0.verdict(need: need, partial: partial?.id, free: free) }
        if case .lacks(let left) = verdict, desk.minimumFree > 0 {
            let need = length == nil ? "its room, whatever that is," : SizeText.size(max(0, need))
            throw Failure(
                .diskFull,
                "it needs \(need) and \(SizeText.size(left)) are free in '\(desk.destination.name(nil))' besides the"
                    + " \(SizeText.size(desk.minimumFree)) of --min-free; free some space there")
        }
        if case .lacks(let left) = verdict {
            throw Failure(
                .diskFull,
                "it needs \(SizeText.size(need)) and \(SizeText.size(left)) are free in"
                    + " '\(desk.destination.name(nil))'; free some space there")
        }
    }

    /// Takes the room for the whole file, as far as the file system gives it ahead.
    func takeRoom(length: Int64?, partial: PartialFile) throws(DiskError) {
        guard let length, length >= Self.preallocatedSize else { return }
        // Where much is left, a file in memory need not be filled with zeros first.
        let isScarce = (try? context.desk.destination.freeSpace()).map { $0 / 2 < length } ?? false
        try partial.preallocate(length, evenInMemory: isScarce)
        lengthToRoom = length
        noteRoom()
    }

    /// Notes what the file system has yet to give, where it gives room only as bytes are written.
    func noteRoom() {
        guard let length = lengthToRoom, let partial else { return }
        let owed = length - ((try? partial.allocatedSize()) ?? length)
        context.desk.space.withLock { $0.owes(owed, to: partial.id) }
        if owed <= 0 { lengthToRoom = nil }
    }

    /// Takes back what the partial was promised.
    func releaseRoom() {
        guard lengthToRoom != nil, let partialID else { return }
        lengthToRoom = nil
        context.desk.space.withLock { $0.owes(0, to: partialID) }
    }
}

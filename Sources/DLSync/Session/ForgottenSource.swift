public import SyncCore

/// A source that a destination has forgotten.
public struct ForgottenSource: Hashable, Sendable {
    /// The source as the state knew it.
    public var source: SourceRecord
    /// How many files no source owns any more by that.
    public var files: Int64

    /// Has a destination forget a source: one that moved, or that nobody will give again. Files that no other source names
    /// are nobody's from then on. None is deleted by this.
    ///
    /// - Parameters:
    ///   - argument: The source as the command line named it, or as the status shows it.
    ///   - path: The destination.
    /// - Throws: ``Failure``: `busy` where a run works on the destination, `missing` where it knows no such source.
    public init(_ argument: String, of path: [UInt8]) throws(Failure) {
        do {
            let name = String(decoding: path, as: UTF8.self)
            // What is no destination is not made one.
            guard try Destination(path: path, access: .readOnly).stateDirectory != nil else {
                throw Failure(.missing, "'\(name)' is no directory that dlsync has worked on")
            }
            let destination = try Destination(path: path, access: .existing)
            guard case .held(let lock) = try RunLock.acquire(in: destination) else {
                throw Failure(.busy, "another run works on '\(name)'")
            }
            defer { lock.release() }
            (source, files) = try Self.forget(argument, destination)
        } catch let failure as Failure {
            throw failure
        } catch let error as DiskError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(error)")
        }
    }

    private static func forget(
        _ argument: String, _ destination: Destination
    ) throws(Failure) -> (SourceRecord, Int64) {
        do {
            let (state, _) = try StateStore.open(in: destination, bootID: currentBootID())
            defer { state.close() }
            let known = try state.sources()
            let identity = Source(argument: argument).identity
            let found =
                known.first { $0.name == identity || $0.name == argument }
                ?? known.first { $0.shownName == argument }
            guard let found else {
                throw Failure(.missing, "no source '\(argument)' is known; --status names those that are")
            }
            return (found, try state.forgetSource(found.name))
        } catch let failure as Failure {
            throw failure
        } catch let error as StateError {
            throw error.failure
        } catch {
            throw Failure(.state, "\(error)")
        }
    }
}

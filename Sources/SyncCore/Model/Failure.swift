/// Why a request, an entry or a run did not do what was wanted.
///
/// The code decides what is done about it (retried, counted, which exit status); the message is for people and says
/// what was wrong, of what, and where there is one, the cure. It never holds a secret.
public struct Failure: Error, Hashable, Sendable {
    /// The kind of a failure.
    public enum Code: Hashable, Sendable {
        // On the way to the server. All but `tls` and `refusedScheme` may pass by themselves.
        case couldNotResolve
        case couldNotConnect
        case tls
        case timedOut
        case stalled
        case connectionLost
        case cutShort
        case protocolError
        case refusedScheme
        case tooManyRedirects
        // What the server said.
        case status(Int)
        case denied
        case missing
        case wrongRange
        case contentCoded
        /// The server cannot go on in the middle of a file, which is asked for.
        case noRanges
        case softError
        case unstable
        case digestMismatch
        case changedWhileFetched
        // Here.
        case diskFull
        case readOnly
        case disk
        case unsafePath
        case collision
        case state
        case interrupted
        /// Another run works on the destination.
        case busy
        /// A source could not be read, or is not what it is taken for.
        case unreadable
        /// A line or row of a source cannot be used.
        case badEntry
    }

    /// The kind of the failure.
    public var code: Code
    /// One sentence without its full stop.
    public var message: String

    /// A failure of a kind, in words.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same request may succeed a little later (RFC 9110 §15.5.9, §15.6; RFC 8470 for 425; 52x are those of
    /// content networks).
    public var isTransient: Bool {
        switch code {
        case .couldNotResolve, .couldNotConnect, .timedOut, .stalled, .connectionLost, .cutShort, .protocolError,
            .wrongRange:
            true
        case .status(let status):
            switch status {
            case 408, 425, 429, 500, 502, 503, 504, 520...524, 530: true
            default: false
            }
        default: false
        }
    }
}

extension Failure: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

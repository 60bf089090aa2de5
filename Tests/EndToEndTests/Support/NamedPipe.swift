import Glibc
import TestSupport

/// A pipe with a name that stays open at both ends here, so that neither side ever sees its end.
final class NamedPipe: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        try checked("mkfifo \(path)") { mkfifo(path, 0o600) }
        descriptor = try checked("open \(path)") { open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) }
    }

    deinit { close(descriptor) }

    /// Puts a text into the pipe, which must have room for it.
    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        try checked("write \(path)") { Glibc.write(descriptor, bytes, bytes.count) }
    }

    /// How much stands in the pipe.
    var unreadBytes: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
}

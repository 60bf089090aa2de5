import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The number of the error.
    package let code: Int32
    /// The call, with what it was about.
    package let call: String

    /// An error of a known number.
    package init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// The error that the last call of this thread left.
    package static func last(_ call: String) -> SystemError { SystemError(code: errno, call: call) }

    /// The message.
    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Repeats a call that a signal interrupted, and throws if it failed.
@discardableResult
package func checked<Result: SignedInteger>(_ call: @autoclosure () -> String, _ body: () -> Result) throws -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        if errno != EINTR { throw SystemError.last(call()) }
    }
}

package import DLSync

/// The lines of a log file.
package enum LogRendering {
    /// A message with its date, in UTC, and the process that says it; always one line.
    package static func line(_ message: String, at date: HTTPDate, processID: Int32) -> String {
        let prefix = "dlsync: "
        let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        let shown = TerminalText.printable(Array(text.utf8))
        return "\(date.iso8601) [\(processID)] \(shown)\n"
    }
}

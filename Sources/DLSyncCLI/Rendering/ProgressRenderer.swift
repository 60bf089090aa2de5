import SyncCore

/// Draws progress as lines of text. Pure: the same view, width and height give the same lines.
package struct ProgressRenderer: Hashable, Sendable {
    /// The columns of the terminal.
    package var width: Int
    /// The lines of the terminal.
    package var height: Int

    /// A renderer for a terminal of this size.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The whole run in one line, then a line for each file that is being fetched.
    ///
    /// No line fills the last column, where terminals differ about the cursor, and the lines with the cursor below them
    /// fit the terminal, so that they can be drawn over; files without room are counted in a last line.
    package func lines(_ view: ProgressView) -> [String] {
        let room = max(0, height - 2)
        let all = [overallLine(view)]
        guard room > 0, !view.active.isEmpty else { return all }
        let shown = view.active.count <= room ? view.active[...] : view.active.prefix(room - 1)
        let columns = ActiveColumns(width: usableWidth, hasSegments: view.active.contains { $0.segments > 1 })
        var lines = all + shown.map(columns.line)
        if shown.count < view.active.count {
            lines.append(TerminalText.shortened("  and \(view.active.count - shown.count) more", to: usableWidth))
        }
        return lines
    }

    /// The whole run as one line of any length, for a log.
    package static func plainLine(_ view: ProgressView) -> String {
        Figure.all.compactMap { $0.text(view) }.joined(separator: ", ")
    }

    private var usableWidth: Int { max(1, width - 1) }

    /// The whole run: as many figures as there is room for, the least telling left out first.
    private func overallLine(_ view: ProgressView) -> String {
        var figures = Figure.all
        var line = ""
        for dropped in [nil] + Figure.expendable.map(Optional.some) {
            figures.removeAll { $0 == dropped }
            line = figures.compactMap { $0.text(view) }.joined(separator: "  ")
            if TerminalText.columns(of: line) <= usableWidth { return line }
        }
        return TerminalText.shortened(line, to: usableWidth)
    }
}

/// A figure of the whole run.
private enum Figure {
    case files, bytes, share, rate, timeLeft, failures

    static let all: [Figure] = [.files, .bytes, .share, .rate, .timeLeft, .failures]
    /// What may be left out, in this order.
    static let expendable: [Figure] = [.rate, .bytes, .timeLeft, .share]

    /// The figure in words; nil where it is not known or there is nothing to say.
    func text(_ view: ProgressView) -> String? {
        switch self {
        case .files:
            if let total = view.filesTotal { return "\(view.filesDone)/\(total) \(total == 1 ? "file" : "files")" }
            return "\(view.filesDone) \(view.filesDone == 1 ? "file" : "files")"
        case .bytes:
            let done = SizeText.size(view.bytesDone)
            return view.bytesTotal.map { "\(done)/\(SizeText.size($0))" } ?? done
        case .share: return percentage(of: view.bytesDone, in: view.bytesTotal).map { "\($0)%" }
        case .rate: return view.bytesPerSecond.map { SizeText.rate($0) }
        case .timeLeft: return view.timeLeft.map { DurationText.text($0) + " left" }
        case .failures: return view.failures > 0 ? "\(view.failures) failed" : nil
        }
    }
}

/// Where the figures of the files stand: the name on the left, the figures in columns of their own on the right, so that
/// nothing jumps from one drawing to the next.
private struct ActiveColumns {
    private enum Column {
        case share, bytes, rate, segments

        var width: Int {
            switch self {
            case .share: 4
            case .bytes: 2 * SizeText.sizeWidth + 1
            case .rate: SizeText.rateWidth
            case .segments: 3
            }
        }
    }

    private static let indent = 2
    private static let gap = 2
    private static let leastName = 20
    private static let mostName = 80

    private let width: Int
    private var columns: [Column]

    /// The columns that leave the names room to be recognised.
    init(width: Int, hasSegments: Bool) {
        self.width = width
        columns = [.share, .bytes, .rate] + (hasSegments ? [.segments] : [])
        for dropped: Column in [.segments, .bytes, .rate, .share] where nameWidth < Self.leastName {
            columns.removeAll { $0 == dropped }
        }
    }

    private var nameWidth: Int {
        min(Self.mostName, width - Self.indent - columns.reduce(0) { $0 + Self.gap + $1.width })
    }

    func line(_ file: ProgressView.Active) -> String {
        let blanks = String(repeating: " ", count: Self.indent)
        var line = blanks + TerminalText.fitted(TerminalText.printable(file.name), to: max(0, nameWidth))
        for column in columns {
            line += String(repeating: " ", count: Self.gap) + padded(text(of: column, file), to: column.width)
        }
        while line.last == " " { line.removeLast() }
        return TerminalText.shortened(line, to: width)
    }

    private func text(of column: Column, _ file: ProgressView.Active) -> String {
        switch column {
        case .share: return percentage(of: file.bytesDone, in: file.bytesTotal).map { "\($0)%" } ?? ""
        case .bytes:
            // The slashes stand below each other.
            let done = SizeText.size(file.bytesDone, paddedTo: SizeText.sizeWidth)
            let total = file.bytesTotal.map { "/" + SizeText.size($0) } ?? ""
            return done + TerminalText.fitted(total, to: SizeText.sizeWidth + 1)
        case .rate: return file.bytesPerSecond.map { SizeText.rate($0) } ?? ""
        case .segments: return file.segments > 1 ? "x\(file.segments)" : ""
        }
    }
}

/// A row of a table.
struct TableRow: Hashable {
    /// Its fields, without quotes and separators.
    var fields: [[UInt8]] = []
    /// The line that it starts on, counted from 1.
    var line = 1
    /// Why the fields are not whole; nil for a good row.
    var fault: Fault?

    enum Fault: Hashable {
        case tooLong
        case tooManyFields
    }
}

/// Cuts a table into rows however its bytes arrive: by TABs, or as RFC 4180 has it, with line ends in quoted fields.
struct RowSplitter {
    /// The most bytes of a row.
    static let rowLimit = 1 << 20
    /// The most fields of a row.
    static let fieldLimit = 10_000

    private enum State {
        case fieldStart
        case plain
        case quoted
        /// Behind a quote in a quoted field: its end, or the first of two.
        case quote
        /// In a row that broke a limit: to its line end.
        case skipping
    }

    /// What stands between fields; nil until the first row tells it.
    private var separator: UInt8?
    private let quotes: Bool
    private var state = State.fieldStart
    private var row = TableRow()
    private var field: [UInt8] = []
    private var length = 0
    private var line = 1

    /// A splitter of rows whose fields TABs separate. A quote means itself.
    static var tabs: RowSplitter { RowSplitter(separator: 0x09, quotes: false) }

    /// A splitter of RFC 4180's rows. The first row tells whether commas, semicolons or TABs separate the fields.
    static var commas: RowSplitter { RowSplitter(separator: nil, quotes: true) }

    private init(separator: UInt8?, quotes: Bool) {
        self.separator = separator
        self.quotes = quotes
    }

    /// Whether the bytes so far end within a quoted field.
    var isInQuotes: Bool { if case .quoted = state { true } else { false } }

    /// Reads on until a row is complete, and takes what was read off the bytes; nil where they do not suffice.
    mutating func next(_ bytes: inout ArraySlice<UInt8>) -> TableRow? {
        while let byte = bytes.first {
            let run = runLength(bytes)
            if run > 0 {
                takeRun(bytes.prefix(run))
                bytes = bytes.dropFirst(run)
                continue
            }
            bytes = bytes.dropFirst()
            if byte == 0x0A {
                line &+= 1
                if !isInQuotes { return end() }
            }
            take(byte)
        }
        return nil
    }

    /// The last row, if it has no line end of its own.
    mutating func finish() -> TableRow? {
        if case .fieldStart = state, row.fields.isEmpty { return nil }
        return end()
    }

    /// How many of the next bytes belong to the field, or row that is skipped, without a look at each.
    private func runLength(_ bytes: ArraySlice<UInt8>) -> Int {
        var index = bytes.startIndex
        switch state {
        case .fieldStart, .quote: return 0
        case .skipping: while index < bytes.endIndex, bytes[index] != 0x0A { index &+= 1 }
        case .quoted:
            while index < bytes.endIndex, bytes[index] != 0x0A, bytes[index] != UInt8(ascii: "\"") { index &+= 1 }
        case .plain:
            let separator = separator
            while index < bytes.endIndex {
                let byte = bytes[index]
                if byte == 0x0A || byte == separator || (separator == nil && Self.separators.contains(byte)) { break }
                index &+= 1
            }
        }
        return index &- bytes.startIndex
    }

    private mutating func takeRun(_ run: ArraySlice<UInt8>) {
        if case .skipping = state { return }
        length &+= run.count
        if length > Self.rowLimit { skip(.tooLong) } else { field.append(contentsOf: run) }
    }

    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]

    private mutating func take(_ byte: UInt8) {
        if case .skipping = state { return }
        length &+= 1
        guard length <= Self.rowLimit else { return skip(.tooLong) }
        switch state {
        case .quoted:
            if byte == UInt8(ascii: "\"") { state = .quote } else { field.append(byte) }
        case .quote where byte == UInt8(ascii: "\""):
            field.append(byte)
            state = .quoted
        case .fieldStart where quotes && byte == UInt8(ascii: "\""): state = .quoted
        case .fieldStart, .plain, .quote:
            if isSeparator(byte) { return endField() }
            if case .fieldStart = state { state = .plain }
            field.append(byte)
        case .skipping: break
        }
    }

    private mutating func isSeparator(_ byte: UInt8) -> Bool {
        if let separator { return byte == separator }
        guard Self.separators.contains(byte) else { return false }
        separator = byte
        return true
    }

    private mutating func skip(_ fault: TableRow.Fault) {
        row.fault = fault
        row.fields = []
        field = []
        state = .skipping
    }

    private mutating func endField() {
        guard row.fields.count < Self.fieldLimit else { return skip(.tooManyFields) }
        row.fields.append(field)
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func end() -> TableRow {
        if row.fault == nil {
            if field.last == 0x0D { field.removeLast() }
            endField()
        }
        let ended = row
        if separator == nil { separator = UInt8(ascii: ",") }
        row = TableRow(line: line)
        field.removeAll(keepingCapacity: true)
        length = 0
        state = .fieldStart
        return ended
    }
}

extension CommandSpec {
    /// The manual page of section 1, in the macros of man(7).
    ///
    /// - Parameters:
    ///   - version: The version of the command, for the foot of the page.
    ///   - date: The date of that version, `2026-01-31`, for the foot of the page.
    package func manPage(version: String, date: String) -> String {
        var page = Troff()
        page.request("TH", [name.uppercased(), "1", date, "\(name) \(version)", "User Commands"])
        page.request("SH", ["NAME"])
        let summary = overview.hasSuffix(".") ? String(overview.dropLast()) : overview
        page.text("\(name) - \(summary)")
        page.request("SH", ["SYNOPSIS"])
        for (index, form) in usage.enumerated() {
            if index > 0 { page.request("br", []) }
            page.line(Troff.bold(name) + " " + Troff.placeholders(in: form))
        }
        page.request("SH", ["DESCRIPTION"])
        for (index, paragraph) in ([overview] + discussion).enumerated() {
            if index > 0 { page.request("PP", []) }
            page.text(paragraph)
        }
        if !arguments.isEmpty {
            page.request("SH", ["ARGUMENTS"])
            for argument in arguments {
                page.request("TP", [])
                page.line(Troff.italic(argument.name))
                page.text(argument.help)
            }
        }
        page.request("SH", ["OPTIONS"])
        for section in sections {
            page.request("SS", [section.title])
            for option in section.options {
                page.request("TP", [])
                page.line(Troff.label(of: option))
                page.text(option.fullHelp)
            }
        }
        for section in manual { page.section(section) }
        return page.source
    }
}

/// A page of troff source under construction.
private struct Troff {
    private(set) var source = ""

    /// Text in which nothing is a command: a backslash starts none, a hyphen is one that can be copied and searched.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            default: result.append(character)
            }
        }
        return result
    }

    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// A form of usage, with `<name>` in italics instead of angle brackets.
    static func placeholders(in form: String) -> String {
        var result = ""
        var rest = form[...]
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            result += escaped(String(rest[..<open]))
            result += italic(String(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        return result + escaped(String(rest))
    }

    static func label(of option: OptionSpec) -> String {
        var spellings: [String] = []
        if let short = option.short { spellings.append(bold("-\(short)")) }
        spellings.append(bold("--\(option.name)"))
        if option.isNegatable { spellings.append(bold("--no-\(option.name)")) }
        let names = spellings.joined(separator: ", ")
        guard let placeholder = option.placeholder else { return names }
        return "\(names) \(italic(placeholder))"
    }

    /// A request with its arguments in quotes.
    mutating func request(_ name: String, _ arguments: [String]) {
        let quoted = arguments.map { " \"\(Self.escaped($0))\"" }
        source += ".\(name)\(quoted.joined())\n"
    }

    /// A line that is escaped already.
    mutating func line(_ line: String) {
        // A dot at the beginning of a line would make it a request.
        source += (line.hasPrefix(".") ? "\\&" : "") + line + "\n"
    }

    /// Running text, in lines that keep a difference between two versions readable.
    mutating func text(_ text: String) {
        for line in wrapped(text, width: 80) { self.line(Self.escaped(line)) }
    }

    mutating func section(_ section: ManualSection) {
        request("SH", [section.title.uppercased()])
        for (index, block) in section.blocks.enumerated() {
            switch block {
            case .paragraph(let text):
                if index > 0 { request("PP", []) }
                self.text(text)
            case .definitions(let definitions):
                for definition in definitions {
                    request("TP", [])
                    line(Self.bold(definition.term))
                    self.text(definition.meaning)
                }
            case .verbatim(let lines):
                request("PP", [])
                request("nf", [])
                request("RS", [])
                for line in lines { self.line(Self.escaped(line)) }
                request("RE", [])
                request("fi", [])
            }
        }
    }
}

internal import CommandLineKit
internal import DLSync
internal import Glibc

extension Settings {
    /// Reads which entries are wanted.
    static func readFilter(
        _ arguments: ParsedArguments, _ configuration: inout SyncConfiguration
    ) throws(UsageError) {
        for occurrence in arguments.ordered(["include", "exclude", "filter-from"]) {
            guard let value = occurrence.value else { continue }
            if occurrence.name == "filter-from" {
                configuration.filter.rules += try rules(in: value)
            } else {
                let pattern = try pattern(value, of: occurrence.name)
                configuration.filter.rules.append(EntryFilter.Rule(includes: occurrence.name == "include", pattern))
            }
        }
        configuration.filter.minimumSize = try size(arguments, "min-size", SizeText.parse)
        configuration.filter.maximumSize = try size(arguments, "max-size", SizeText.parse)
        if let least = configuration.filter.minimumSize, let most = configuration.filter.maximumSize, least > most {
            throw .invalidValue(
                option: "--max-size", value: "\(most)", expected: "a size that is not below --min-size")
        }
        configuration.mostEntries = try arguments.integer("max-entries", in: 1...Int.max)
    }

    /// Reads what is deleted, what is not, and what comes last.
    static func readMirroring(
        _ arguments: ParsedArguments, _ configuration: inout SyncConfiguration
    ) throws(UsageError) {
        configuration.deletion.scope =
            arguments.flag("delete-unowned") ? .all : arguments.flag("delete") ? .owned : .none
        configuration.deletion.limit =
            try arguments.parsed("max-delete", expecting: "a number of files, or a part of them as in 50%") { text in
                guard text.hasSuffix("%") else { return number(text, in: 0...Int.max).map(DeletionLimit.count) }
                return number(String(text.dropLast()), in: 0...100).map(DeletionLimit.percent)
            } ?? configuration.deletion.limit
        configuration.deletion.afterRuns = try arguments.integer("delete-after-runs", in: 1...1000) ?? 1
        configuration.deletion.acceptsEmpty = arguments.flag("allow-empty")
        if let directory = arguments.value("backup-dir") {
            guard !directory.bytes.isEmpty else {
                throw .invalidValue(option: "--backup-dir", value: "", expected: "the path of a directory")
            }
            configuration.deletion.backupDirectory = directory.bytes
        }
        for value in arguments.values("publish-last") {
            configuration.publishLast.append(try pattern(value, of: "publish-last"))
        }
        let expected = "a number of bytes, as in 500M or 2G"
        configuration.minimumFree = try arguments.parsed("min-free", expecting: expected, by: SizeText.parse) ?? 0
    }

    private static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func pattern(_ value: ArgumentValue, of option: String) throws(UsageError) -> PathPattern {
        do {
            return try PathPattern(value.bytes)
        } catch {
            throw .invalidValue(
                option: "--\(option)", value: value.description, expected: "a pattern; this one \(error)")
        }
    }

    private static func rules(in file: ArgumentValue) throws(UsageError) -> [EntryFilter.Rule] {
        guard let bytes = readSmallFile(file.bytes) else {
            throw .invalidValue(
                option: "--filter-from", value: file.description, expected: "a file of up to 1 MiB that can be read")
        }
        do {
            return try EntryFilter.rules(in: bytes)
        } catch {
            throw .invalidValue(
                option: "--filter-from", value: "\(file.description):\(error.line)",
                expected: "'+ GLOB' or '- GLOB', but \(error.message)")
        }
    }
}

import Foundation
import TestSupport

/// A line of a dry run's NDJSON with the members that docs/formats/plan.md gives it.
enum PlanLine: Decodable {
    case entry(Entry)
    case problem(Problem)
    case sourceFailed(SourceFailed)
    case summary(Summary)

    struct Entry: Decodable, Equatable {
        let path: String
        let url: String
        let action: String
        let reason: String
        let size: Int64?
        let have: Int64
        let fetch: Int64?
    }

    struct Problem: Decodable {
        let source: String
        let line: Int?
        let reason: String
    }

    struct SourceFailed: Decodable {
        let source: String
        let reason: String
    }

    struct Summary: Decodable {
        let version: Int
        let entries: Int
        let actions: [String: Int]
        let failed: Int
        let problems: Int
        let sourcesFailed: Int
        let have: Int64
        let fetch: Int64
        let unknownSizes: Int
        let free: Int64?
        let exitStatus: Int32
    }

    private enum Key: CodingKey { case type }

    init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type) {
        case "entry": self = .entry(try Entry(from: decoder))
        case "problem": self = .problem(try Problem(from: decoder))
        case "sourceFailed": self = .sourceFailed(try SourceFailed(from: decoder))
        case "summary": self = .summary(try Summary(from: decoder))
        case let type: throw UnknownLine(type: type)
        }
    }
}

/// A line that the format does not have.
struct UnknownLine: Error { let type: String }

/// What a dry run printed.
struct PlanLines {
    let lines: [PlanLine]

    init(_ output: [UInt8]) throws {
        lines = try output.split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDecoder().decode(PlanLine.self, from: Data(line))
        }
    }

    /// Runs a dry run and reads it.
    static func ask(_ arguments: String...) async throws -> PlanLines {
        try PlanLines(try await Command.run(["--dry-run", "--json"] + arguments).standardOutput)
    }

    var entries: [PlanLine.Entry] {
        lines.compactMap { line in
            if case .entry(let entry) = line { entry } else { nil }
        }
    }

    var problems: [PlanLine.Problem] {
        lines.compactMap { line in
            if case .problem(let problem) = line { problem } else { nil }
        }
    }

    /// The totals, if they stand where they belong.
    var summary: PlanLine.Summary? {
        guard case .summary(let summary)? = lines.last else { return nil }
        return summary
    }
}

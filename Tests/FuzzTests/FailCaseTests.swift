import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Inputs by which `Fuzz/run` once found a fault, and the documents that it starts with.
@Suite(.timeLimit(.minutes(10))) struct FailCaseTests {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz")

    private static func inputs(of target: FuzzTarget, in room: String) throws -> [(name: String, bytes: [UInt8])] {
        let directory = Self.directory.appendingPathComponent("\(room)/\(target.name)")
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
            (name, Array(try Data(contentsOf: directory.appendingPathComponent(name))))
        }
    }

    @Test("What once broke something breaks it no more", arguments: FuzzTarget.all)
    func replays(target: FuzzTarget) throws {
        for room in ["FailCases", "Seeds"] {
            for input in try Self.inputs(of: target, in: room) {
                let fault = target.fault(input.bytes)
                #expect(fault == nil, "\(room)/\(target)/\(input.name): \(fault ?? "")")
            }
        }
    }

    @Test("Every kept input belongs to a target", arguments: ["FailCases", "Seeds"])
    func namesTargets(room: String) throws {
        let names = Set(FuzzTarget.all.map(\.name))
        let directory = Self.directory.appendingPathComponent(room)
        let rooms = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        #expect(Set(rooms).subtracting(names) == [])
    }
}

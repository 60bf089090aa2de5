import SyncCore
import TestSupport
import Testing

@Suite struct NamedFileTests {
    private static let base = WebURL("https://h.example/d%20d/list?x=/y")

    @Test("a name of any bytes but slash and NUL comes back from its address as it was")
    func everyByte() throws {
        let base = try #require(Self.base)
        var names: [[UInt8]] = []
        for byte in UInt8(1)...255 where byte != 0x2F {
            names += [[byte], [0x61, byte], [byte, 0x61], [byte, byte, byte]]
        }
        var generator = SeededGenerator(seed: 7)
        for length in 1...255 {
            var name: [UInt8] = []
            for _ in 0..<length {
                let byte = UInt8.random(in: 1...255, using: &generator)
                name.append(byte == 0x2F ? 0x25 : byte)
            }
            names.append(name)
        }
        for name in names + [Array("%2e%2e".utf8), Array("%2F".utf8), Array("a%00b".utf8)] {
            if name == [0x2E] || name == [0x5C, 0x5C, 0x5C] { continue }
            let file = try NamedFile(name[...], below: base)
            #expect(file.path == name)
            #expect(file.url.lastPathSegment == name)
            #expect(file.url.string.hasPrefix("https://h.example/d%20d/"))
            #expect(WebURL(file.url.string) == file.url)
        }
    }

    @Test(
        "names that would lie elsewhere are refused",
        arguments: [
            ("", .empty), ("/", .absolute), ("/a", .absolute), ("//h/a", .absolute), ("..", .leavesBase),
            ("a/..", .leavesBase), ("a/../b", .leavesBase), ("../b", .leavesBase), (".", .directory),
            ("./", .directory),
            ("././.", .directory), ("a/", .directory), ("\\\\h\\a", .network), ("c:\\a", .absolute), ("a\u{0}", .nul),
        ] as [(String, NamedFile.Fault)])
    func refused(_ name: String, _ fault: NamedFile.Fault) throws {
        let base = try #require(Self.base)
        #expect(throws: fault) { try NamedFile(Array(name.utf8)[...], below: base) }
    }

    @Test("a base that is no web address makes none")
    func otherBase() throws {
        for text in ["ftp://h.example/", "mailto:a@b"] {
            let base = try #require(WebURL(text))
            #expect(throws: NamedFile.Fault.unresolvable) { try NamedFile([0x61], below: base) }
        }
    }
}

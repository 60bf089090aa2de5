import SyncCore
import Testing

@Suite struct RelativePathTests {
    @Test(arguments: [
        "a", "a/b", "a/b/c.txt", "...", "..a", "a..", ".hidden", "a/.b", " ", "a b", "Icon\r", "a\\b", "a:b", "%2F",
        String(repeating: "x", count: 255),
    ])
    func `a path that is safe to walk is taken as it is`(text: String) throws {
        let path = try RelativePath(text)
        #expect(path.bytes == Array(text.utf8))
        #expect(path.description == text)
        #expect(path.components.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") == text)
    }

    @Test(arguments: [
        ("", RelativePath.Fault.empty), ("/", .absolute), ("/a", .absolute), ("//a", .absolute), (".", .dots),
        ("..", .dots), ("a/..", .dots), ("../a", .dots), ("a/./b", .dots), ("a/../b", .dots), ("a//b", .emptyComponent),
        ("a/", .emptyComponent), ("a\0b", .nul), (String(repeating: "x", count: 256), .tooLong),
        ("a/" + String(repeating: "x", count: 256) + "/b", .tooLong),
    ])
    func `a path that is not safe is refused`(text: String, fault: RelativePath.Fault) {
        #expect(throws: fault) { try RelativePath(text) }
    }

    @Test(arguments: [(4000, true), (4001, false)])
    func `a path has four thousand bytes at most`(count: Int, isTaken: Bool) {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array("/".utf8) + [UInt8](repeating: 0x78, count: 99) }
        let path = Array(bytes.dropFirst().prefix(count - 1)) + [0x79]
        let taken = try? RelativePath(bytes: path)
        #expect(path.count == count)
        #expect((taken != nil) == isTaken)
    }

    @Test func `bytes that are no text are a path, and look-alikes are two`() throws {
        let path = try RelativePath(bytes: [0xFF, 0x2F, 0xC3])
        #expect(path.name == [0xC3])
        #expect(path.parent?.bytes == [0xFF])
        #expect(try RelativePath("\u{E9}") != RelativePath("e\u{301}"))
    }

    @Test(arguments: [("a", "a", nil), ("a/b", "b", "a"), ("a/b/c", "c", "a/b")] as [(String, String, String?)])
    func `a name and its directory`(text: String, name: String, parent: String?) throws {
        let path = try RelativePath(text)
        #expect(Array(path.name) == Array(name.utf8))
        #expect(path.parent?.description == parent)
    }
}

import Glibc
import SyncCore
import TestSupport
import Testing

@Suite struct FileTests {
    @Test("A temporary directory is gone with all that was in it")
    func removesDirectories() throws {
        let path = try withTemporaryDirectory { directory in
            try writeFile(directory.appending("a/b/c"), "text")
            #expect(symlink("/etc", directory.appending("link")) == 0)
            #expect(chmod(directory.appending("a/b"), 0) == 0)
            return directory.path
        }
        #expect(!exists(path))
        #expect(exists("/etc/passwd"))
    }

    @Test("Files are written, read and dated")
    func writesFiles() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending("x/y")
            try writeFile(path, "text", modified: 1_000_000_000)
            #expect(try readText(path) == "text")
            #expect(try modified(path) == 1_000_000_000)
            try setModified(path, 5)
            #expect(try modified(path) == 5)
            #expect(throws: SystemError.self) { try readFile(directory.appending("nothing")) }
        }
    }

    @Test("A file is compared with a pattern to its last byte")
    func comparesWithPatterns() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending("p")
            try writePatternFile(path, seed: 4, count: 600_000)
            #expect(try fileMatchesPattern(path, seed: 4, count: 600_000))
            #expect(try firstDifference(path, seed: 4, count: 600_001) == 600_000)
            #expect(try firstDifference(path, seed: 4, count: 599_999) == 599_999)
            #expect(try firstDifference(path, seed: 5, count: 600_000) ?? 1000 < 16)
            var bytes = try readFile(path)
            bytes[300_000] ^= 1
            try writeFile(path, bytes)
            #expect(try firstDifference(path, seed: 4, count: 600_000) == 300_000)
        }
    }

    @Test("A tree is listed by bytes, and two trees are compared")
    func listsTrees() throws {
        try withTemporaryDirectory { directory in
            let (left, right) = (directory.appending("left"), directory.appending("right"))
            for tree in [left, right] {
                try writeFile(tree + "/a/one", "1")
                try writeFile(tree + "/a/\u{E9}", "composed")
                try writeFile(tree + "/a/e\u{301}", "decomposed!")
                try writeFile(tree + "/.dlsync/state", tree)
            }
            #expect(symlink("one", left + "/a/link") == 0)
            #expect(
                try treeListing(left, skipping: [".dlsync"]) == [
                    "a": .directory, "a/one": .file(size: 1), "a/link": .link(to: "one"),
                    "a/\u{E9}": .file(size: 8), "a/e\u{301}": .file(size: 11),
                ])
            #expect(try treeDifferences(left, right, skipping: [".dlsync"]).count == 1)
            #expect(unlink(left + "/a/link") == 0)
            #expect(try treeDifferences(left, right, skipping: [".dlsync"]).isEmpty)
            try writeFile(right + "/a/one", "2")
            #expect(try treeDifferences(left, right, skipping: [".dlsync"]) == ["a/one: the bytes differ"])
        }
    }

    @Test("A manual clock stands until it is advanced")
    func advancesClocks() {
        let clock = ManualClock()
        #expect(clock.now == .zero)
        #expect(clock.advance(by: .seconds(2)) == MonotonicTime(sinceStart: .seconds(2)))
        #expect(clock.now.sinceStart == .seconds(2))
    }

    @Test("An index page shows short names whole and cuts long ones, while its links stay true")
    func rendersIndexPages() {
        let long = String(repeating: "n", count: 60)
        let page = nginxIndexPage(
            of: "/p/", [IndexRow("sub/"), IndexRow("a & b#.txt", size: 1234), IndexRow(long, size: 5)])
        #expect(page.contains("<a href=\"../\">../</a>"))
        #expect(page.contains("<a href=\"sub/\">sub/</a>" + String(repeating: " ", count: 47) + "14-Nov-2023 22:13"))
        #expect(page.contains("<a href=\"a%20%26%20b%23.txt\">a &amp; b#.txt</a>"))
        #expect(page.contains("                1234\r\n"))
        #expect(page.contains("<a href=\"\(long)\">\(long.prefix(47))..&gt;</a>"))
    }
}

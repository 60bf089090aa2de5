import SyncCore
import Testing

private let base = "https://example.org/pub/"

/// A listing as it is compared with others.
private struct Page: CustomTestStringConvertible, Sendable {
    var directory = ""
    var text = "page"
    var names = ["f"]
    var size = SizeKnowledge.exact(5)
    var date: Int64?

    var testDescription: String { "\(directory) \(text) \(names) \(size)" }

    func print() throws -> ListingPrint {
        var maker = ListingPrint.Maker(directory: Array(directory.utf8))
        let origin = EntryOrigin(source: "list")
        let prefix = directory.isEmpty ? "" : directory + "/"
        for name in names {
            let url = try #require(WebURL(base + prefix + name))
            maker.take(
                .entry(Entry(urls: [url], suggestedPath: Array((prefix + name).utf8), size: size, origin: origin)))
        }
        let url = try #require(WebURL(base + prefix + "sub/"))
        let modified = date.map { ListedDate(secondsSinceEpoch: $0, hasZone: false, precision: .minute) }
        maker.take(
            .listing(SubListing(url: url, path: Array((prefix + "sub").utf8), origin: origin, modified: modified)))
        maker.take(Array(text.utf8))
        return maker.finished()
    }
}

@Suite struct ListingPrintTests {
    @Test(
        "The less a page shows, the more of those above it must say the same",
        arguments: [
            ("the same bytes and sizes", true, Page(), 1),
            ("the same bytes, names alone", true, Page(size: .unknown), 2),
            ("the same bytes, names and a date", true, Page(size: .unknown, date: 0), 1),
            ("other bytes, sizes", false, Page(), 3), ("other bytes, names alone", false, Page(size: .unknown), 5),
        ])
    private func needed(_ name: String, hasSameBytes: Bool, page: Page, count: Int) throws {
        var ancestors: [ListingPrint] = []
        var page = page
        for level in 0...6 {
            if !hasSameBytes { page.text = "page \(level)" }
            let print = try page.print()
            #expect(print.repeats(ancestors) == (level >= count), "level \(level)")
            ancestors.append(print)
            page.directory = page.directory.isEmpty ? "d" : page.directory + "/d"
        }
    }

    @Test(
        "Pages of which one thing differs are two",
        arguments: [
            Page(names: ["g"]), Page(names: ["f", "g"]), Page(size: .exact(6)), Page(date: 60), Page(text: "pages"),
        ])
    private func differs(_ other: Page) throws {
        var below = other
        below.directory = "sub"
        #expect(try !below.print().repeats([Page().print()]))
    }

    @Test("Listings between, and in between of those that repeat, change nothing") func others() throws {
        let turn = try [Page(), Page(names: ["x"]), Page(names: ["y"])].map { try $0.print() }
        #expect(!turn[2].repeats(Array(turn[..<2])))
        #expect(try Page(directory: "a/b/c").print().repeats(turn))
    }

    @Test("Listings that have no place of their own, as those of an index of sitemaps, are told by their URLs")
    func withoutPlaces() throws {
        let prints = try ["a", "b"].map { name in
            var maker = ListingPrint.Maker(directory: [])
            let url = try #require(WebURL(base + name))
            maker.take(.listing(SubListing(url: url, path: [], origin: EntryOrigin(source: "list"))))
            return maker.finished()
        }
        #expect(!prints[1].repeats([prints[0], prints[0], prints[0], prints[0], prints[0], prints[0]]))
    }
}

import SyncCore
import Testing

@Suite("Link fields that name the same file elsewhere (RFC 6249 §3)") struct DuplicateLinkTests {
    private func duplicates(_ fields: [String]) -> [String] {
        var parser = ResponseHeadParser()
        var head: ResponseHead?
        for line in ["HTTP/1.1 200 OK"] + fields + [""] { head = parser.read(line: Array(line.utf8)[...]) ?? head }
        return (head?.duplicates ?? []).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "They come by their priority, and others of the field are passed over",
        arguments: [
            (["Link: <http://b.example/f>; rel=duplicate"], ["http://b.example/f"]),
            (
                ["Link: <http://c/f>; rel=duplicate; pri=2; geo=gb", "link: <http://b/f>;rel=\"duplicate\";pri=1"],
                ["http://b/f", "http://c/f"]
            ),
            (["Link: <http://b/f>; rel=duplicate, <http://c/f>; rel=duplicate; pri=7"], ["http://c/f", "http://b/f"]),
            (["Link: <http://b/f,g;h>; title=\"a, <b>; rel=x\"; rel=\"nofollow Duplicate\""], ["http://b/f,g;h"]),
            (["Link: <f.meta4>; rel=describedby; type=\"application/metalink4+xml\""], []),
            (["Link: </f>; rel=next, <g>; rel=duplicate; pri=0", "Link: <h>; rel=duplicate; pri=x"], ["g", "h"]),
            (["Link: <>; rel=duplicate", "Link: <a; rel=duplicate", "Link: rel=duplicate", "Link:"], []),
            (["Link: <a>; title=\"open, <b>; rel=duplicate"], []),
        ])
    func reads(fields: [String], wanted: [String]) { #expect(duplicates(fields) == wanted) }

    @Test("No answer has more of them than are looked at") func bounded() {
        let one = "Link: " + (0..<5000).map { "<http://h/\($0)>; rel=duplicate" }.joined(separator: ", ")
        #expect(duplicates([one, one]).count == 64)
    }
}

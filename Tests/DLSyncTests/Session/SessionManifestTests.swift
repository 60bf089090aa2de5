import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// A page of a bucket's listing, with the token of the next.
private func page(_ keys: [String], next: String? = nil, prefixes: [String] = []) -> Resource {
    let rows = keys.map { "<Contents><Key>\($0)</Key><Size>50</Size></Contents>" }
    let below = prefixes.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }
    let more = next.map { "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
    return Resource(
        .text("<ListBucketResult><Name>b</Name>\((rows + below).joined())\(more)</ListBucketResult>"),
        contentType: "application/xml")
}

/// Serves objects of 50 bytes.
private func serve(_ keys: [String], _ server: FaultServer) {
    for key in keys { server.serve("/b/" + key, Resource(.pattern(seed: 1, count: 50))) }
}

extension SessionTests {
    @Suite struct Manifests {
        @Test("A bucket is read page by page to its end, and prefix by prefix, and lands by its keys")
        func bucket() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(["a", "b", "c", "d/e/x", "d/e/y"], server)
                server.serve("/b?list-type=2&delimiter=/", page(["a"], next: "t/+=1"))
                server.serve(
                    "/b?list-type=2&delimiter=/&continuation-token=t%2F%2B%3D1",
                    page(["b"], next: "t2", prefixes: ["d/"]))
                server.serve("/b?list-type=2&delimiter=/&continuation-token=t2", page(["c"]))
                server.serve("/b?list-type=2&delimiter=/&prefix=d%2F", page([], prefixes: ["d/e/"]))
                server.serve("/b?list-type=2&delimiter=/&prefix=d%2Fe%2F", page(["d/e/x"], next: "u"))
                server.serve("/b?list-type=2&delimiter=/&prefix=d%2Fe%2F&continuation-token=u", page(["d/e/y"]))
                let source = Source(argument: server.url("/b?list-type=2&delimiter=/"))
                let told = try await bench.run([source])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try bench.tree().filter { $0 != "d" && $0 != "d/e" } == ["a", "b", "c", "d/e/x", "d/e/y"])
                #expect(bench.holds("d/e/y", seed: 1, 50))
                // Further pages are as deep as the first, prefixes are not.
                let flat = try await Bench().run([source]) { $0.depth = 0 }
                #expect(flat.isAllWell && flat.outcomes.count == 3)
            }
        }

        @Test("A page that is missing fails its listing; what the others name is brought")
        func missingPage() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(["a"], server)
                server.serve("/b?list-type=2", page(["a"], next: "gone"))
                let told = try await bench.run([Source(argument: server.url("/b?list-type=2"))])
                #expect(bench.holds("a", seed: 1, 50))
                #expect(told.unread.map(\.source) == [server.url("/b?list-type=2&continuation-token=gone")])
            }
        }

        @Test("A listing whose pages lead round, or never change, ends with an error", arguments: [true, false])
        func endless(isRound: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(["a", "b"], server)
                server.serve("/b?list-type=2", page(["a"], next: "1"))
                if isRound {
                    server.serve("/b?list-type=2&continuation-token=1", page(["b"], next: "2"))
                    server.serve("/b?list-type=2&continuation-token=2", page(["a"], next: "1"))
                } else {
                    for token in 1...9 {
                        server.serve("/b?list-type=2&continuation-token=\(token)", page(["a"], next: "\(token + 1)"))
                    }
                }
                let told = try await bench.run([Source(argument: server.url("/b?list-type=2"))])
                let words = isRound ? "a second time" : "with the page before it"
                #expect(told.unread.count == 1 && told.unread.first?.failure.code == .unreadable)
                #expect(told.unread.first?.failure.message.contains(words) == true, "\(told.complaints)")
                #expect(server.requests.count { $0.path == "/b" } <= 4)
            }
        }

        @Test("A manifest that is compressed is unpacked, from a file and from a server; a file that is fetched is not")
        func compressed() async throws {
            try await FaultServer.run { server in
                let packed = gzipped(Array("payload".utf8))
                server.serve("/data.txt.gz", Resource(.bytes(packed), contentType: "application/gzip"))
                let sitemap = "<urlset><url><loc>\(server.url("/data.txt.gz"))</loc></url></urlset>"
                let list = server.url("/data.txt.gz") + "\n"
                for (text, name) in [(sitemap, "sitemap.xml.gz"), (list, "list.gz")] {
                    let manifest = gzipped(Array(text.utf8))
                    server.serve("/" + name, Resource(.bytes(manifest), contentType: "application/gzip"))
                    let bench = try Bench()
                    try writeFile(bench.directory.path(name), manifest)
                    for source in [Source.file(bench.directory.path(name)), Source(argument: server.url("/" + name))] {
                        let told = try await bench.run([source])
                        #expect(told.isAllWell, "\(told.complaints)")
                        #expect(try readFile(bench.path("data.txt.gz")) == packed)
                    }
                }
            }
        }

        @Test("A compressed manifest that was cut short or damaged is not read, whatever it still names")
        func damaged() async throws {
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 50)))
                let whole = gzipped(Array((server.url("/a") + "\n").utf8))
                for (bytes, words) in [
                    (Array(whole.dropLast(4)), "cut short"), (whole + [7, 7, 7], "damaged gzip data"),
                ] {
                    let bench = try Bench()
                    try writeFile(bench.directory.path("list.gz"), bytes)
                    let told = try await bench.run([.file(bench.directory.path("list.gz"))])
                    #expect(told.unread.first?.failure.message.contains(words) == true, "\(told.complaints)")
                    #expect(told.summary.sourcesFailed == 1)
                }
            }
        }

        @Test("A file that somebody else brought is known by a digest that is only guessed, and not fetched")
        func guessedDigest() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/b/a", Resource(.text("a")))
                server.serve("/b/z", Resource(.text("z")))
                let tag = "<ETag>\"0cc175b9c0f1b6a831c399e269772661\"</ETag><Size>1</Size>"
                let listing = ["a", "z"].map { "<Contents><Key>\($0)</Key>\(tag)</Contents>" }.joined()
                server.serve("/b", Resource(.text("<ListBucketResult>\(listing)</ListBucketResult>")))
                bench.directory.makeDirectory("dest")
                for name in ["a", "z"] { try writeFile(bench.path(name), name == "a" ? "a" : "y") }
                let told = try await bench.run([Source(argument: server.url("/b"))])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.action == .upToDate)
                // A guess condemns nothing: the server's own bytes are right, whatever the tag says.
                #expect(told.outcomes["z"]?.action == .replace)
                #expect(try readFile(bench.path("z")) == Array("z".utf8))
                #expect(server.requests(to: "/b/a").allSatisfy { $0.method == "HEAD" })
            }
        }
    }
}

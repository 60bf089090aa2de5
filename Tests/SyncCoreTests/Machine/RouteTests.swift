import SyncCore
import Testing

@Suite struct RouteTests {
    @Test(arguments: [
        ("https://b.test/x", "https://b.test/x"), ("/x", "https://a.test/x"), ("x?y=1", "https://a.test/dir/x?y=1"),
        ("//b.test/x", "https://b.test/x"), ("http://a.test/", "http://a.test/"), ("", "https://a.test/dir/file"),
    ])
    func `a redirect is followed to what its reference names`(location: String, target: String) throws {
        let route = Route(try #require(WebURL("https://a.test/dir/file")))
        let next = try route.following(Array(location.utf8))
        #expect(next.url.string == target)
        #expect(next.start == route.start)
        #expect(next.hops == 1)
    }

    @Test(arguments: [
        ("ftp://a.test/x", Failure.Code.refusedScheme), ("file:///etc/passwd", .refusedScheme),
        ("javascript:alert(1)", .refusedScheme), ("https://", .protocolError), ("http://[::1", .protocolError),
    ])
    func `a redirect to where no request goes is refused`(location: String, code: Failure.Code) throws {
        let route = Route(try #require(WebURL("https://a.test/dir/file")))
        let failure = #expect(throws: Failure.self) { try route.following(Array(location.utf8)) }
        #expect(failure?.code == code)
    }

    @Test func `no way is longer than twenty redirects`() throws {
        var route = Route(try #require(WebURL("https://a.test/0")))
        for hop in 1...Route.mostHops { route = try route.following(Array("/\(hop)".utf8)) }
        #expect(route.url.string == "https://a.test/20")
        let failure = #expect(throws: Failure.self) { try route.following(Array("/21".utf8)) }
        #expect(failure?.code == .tooManyRedirects)
    }

    @Test(arguments: [
        (301, true), (302, true), (303, true), (307, true), (308, true), (300, false), (304, false), (305, false),
        (200, false), (404, false),
    ])
    func `only these statuses redirect, and only with a place`(status: Int, isRedirect: Bool) throws {
        let route = Route(try #require(WebURL("https://a.test/")))
        #expect(route.isRedirect(ResponseHead(status: status, location: Array("/x".utf8))) == isRedirect)
        #expect(!route.isRedirect(ResponseHead(status: status)))
    }
}

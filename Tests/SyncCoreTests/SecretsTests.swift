import SyncCore
import Testing

@Suite struct NetrcTests {
    private static let file = Netrc(
        Array(
            """
            # a comment with machine words.example in it
            machine one.example login anna password "se cret\\"x"
            machine one.example login bert password second
            machine two.example
              login carl
              account ignored
              password third
            macdef init
              machine trap.example login no password no

            machine FOUR.example login dora
            default login anonymous password guest
            """.utf8))

    private static func login(_ user: String, _ password: String) -> Login {
        Login(user: Array(user.utf8), password: Array(password.utf8))
    }

    @Test(
        "The entry that fits host and user is chosen",
        arguments: [
            ("one.example", nil, false, login("anna", "se cret\"x")),
            ("one.example", "bert", false, login("bert", "second")),
            ("one.example", "nobody", false, nil),
            ("two.example", nil, false, login("carl", "third")),
            ("trap.example", nil, false, nil),
            ("four.example", nil, false, login("dora", "")),
            ("five.example", nil, false, nil),
            ("five.example", nil, true, login("anonymous", "guest")),
            ("five.example", "eva", true, nil),
        ] as [(String, String?, Bool, Login?)])
    func choice(host: String, user: String?, allowsDefault: Bool, expected: Login?) {
        #expect(
            Self.file.login(host: host, user: user.map { Array($0.utf8) }, allowsDefault: allowsDefault) == expected)
    }

    @Test(
        "A file of any bytes is read without a fault",
        arguments: [
            "", "machine", "machine x login", "login a password b", "\"", "\"\\", "macdef", "macdef a\n", "default",
        ])
    func oddities(text: String) {
        #expect(Netrc(Array(text.utf8)).login(host: "x", allowsDefault: false) == nil || text.contains("login"))
    }
}

@Suite struct SecretsTests {
    private static func secrets() throws -> Secrets {
        var secrets = Secrets()
        secrets.origins = ["https://named.example:443"]
        secrets.login = Login(user: Array("u".utf8), password: Array("p".utf8))
        secrets.cookies = "a=b"
        secrets.fields = [try #require(HeaderField(line: "X-Key: k"))]
        secrets.netrc = Netrc(Array("machine listed.example login n password m default login d password e".utf8))
        return secrets
    }

    @Test(
        "A request carries what is for its origin, and nothing else",
        arguments: [
            ("https://named.example/x", false, "u:p", ["X-Key", "Cookie"]),
            ("https://named.example:8443/x", false, nil, []),
            ("http://named.example/x", false, nil, []),
            ("https://other.example/x", false, nil, []),
            ("https://listed.example/x", false, "n:m", []),
            ("http://listed.example/x", true, nil, []),
            ("https://me:own@other.example/x", false, "me:own", []),
            ("https://me:own@named.example/x", false, "me:own", ["X-Key", "Cookie"]),
            ("https://n@listed.example/x", false, "n:m", []),
            ("https://z@listed.example/x", false, "z:", []),
        ] as [(String, Bool, String?, [String])])
    func share(url: String, isDowngraded: Bool, login: String?, names: [String]) throws {
        let share = try Self.secrets().share(for: try #require(WebURL(url)), isDowngraded: isDowngraded)
        let text = share.login.map { String(decoding: $0.user + [UInt8(ascii: ":")] + $0.password, as: UTF8.self) }
        #expect(text == login)
        #expect(share.fields.map(\.name) == names)
    }

    @Test("Without netrc the login of the command line serves the named origin, for its own user")
    func commandLineLogin() throws {
        var secrets = try Self.secrets()
        secrets.netrc = nil
        #expect(secrets.share(for: try #require(WebURL("https://named.example/"))).login == secrets.login)
        #expect(
            secrets.share(for: try #require(WebURL("https://v@named.example/"))).login
                == Login(user: Array("v".utf8), password: []))
    }

    @Test("The default entry of netrc serves the named origin alone")
    func netrcDefault() throws {
        var secrets = try Self.secrets()
        secrets.login = nil
        #expect(
            secrets.share(for: try #require(WebURL("https://named.example/"))).login
                == Login(user: Array("d".utf8), password: Array("e".utf8)))
        #expect(secrets.share(for: try #require(WebURL("https://other.example/"))).login == nil)
    }

    @Test("A route remembers that it left TLS")
    func downgrade() throws {
        let start = Route(try #require(WebURL("https://a.example/")))
        let plain = try start.following(Array("http://b.example/".utf8))
        #expect(plain.isDowngraded)
        #expect(try plain.following(Array("https://c.example/".utf8)).isDowngraded)
        #expect(try !start.following(Array("/x".utf8)).isDowngraded)
    }
}

import Curl
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlErrorTests {
    @Test("The library that is loaded tells its version, and each code has words") func words() throws {
        try CurlLibrary.prepare()
        try CurlLibrary.prepare()
        let numbers = CurlLibrary.version.split(separator: ".").compactMap { Int($0) }
        #expect(numbers.count == 3 && numbers[0] >= 7, "\(CurlLibrary.version)")
        let codes: [CurlCode] = [.couldntConnect, .partialFile, .http2Stream, .peerFailedVerification]
        #expect(Set(codes.map(\.text)).count == codes.count)
        #expect(CurlCode.ok.rawValue == 0)
    }

    /// What goes wrong on a connection, and the code that says so.
    private static let ends: [(script: Step, code: CurlCode)] = [
        (.always(.cut(after: 500)), .partialFile), (.always(.cut(after: 500, by: .reset)), .recvError),
        (.always(.raw([])), .gotNothing), (.always(.headless), .unsupportedProtocol),
        (.always(.chunked(.withoutLastChunk)), .partialFile),
        (.always(.closeDelimited, .cut(after: 500, by: .reset)), .recvError),
    ]

    @Test("Each way in which a transfer can be lost has its code and an account of it", arguments: ends.indices)
    func loses(index: Int) throws {
        let (script, code) = Self.ends[index]
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)), script: [script])
            let get = try Prepared(server.url("/a"))
            try get.easy.set(.http09Allowed, 0)
            let end = try MultiHandle().run(get)
            #expect(end == code)
            #expect(get.easy.error(code).code == code)
            #expect(!get.easy.error(code).detail.isEmpty)
        }
    }

    @Test("A port where nobody listens, and a host that does not exist, are told apart") func unreachable() throws {
        let refused = try Prepared("http://127.0.0.1:\(try freePort())/")
        #expect(try MultiHandle().run(refused) == .couldntConnect)
        #expect(refused.easy.error(.couldntConnect).detail.contains("127.0.0.1"))
        let unknown = try Prepared("http://does-not-exist.invalid/")
        #expect(try MultiHandle().run(unknown) == .couldntResolveHost)
        #expect(unknown.easy.error(.couldntResolveHost).detail.contains("does-not-exist.invalid"))
    }

    @Test("Where libcurl gave no account, the code's own words stand for it") func ownWords() throws {
        let easy = try EasyHandle()
        #expect(easy.error(.partialFile) == CurlError(code: .partialFile, detail: CurlCode.partialFile.text))
    }
}

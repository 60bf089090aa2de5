import CommandLineKit
import DLSyncCLI
import Testing

@Suite("What is kept off the list of processes") struct SecretWordsTests {
    @Test(
        "Values that let requests in and logins in URLs are blotted out, and nothing else",
        arguments: [
            (["-u", "me:pass", "list", "here"], ["-u", "*******", "list", "here"]),
            (["--user=me:pass", "list", "here"], ["--user=*******", "list", "here"]),
            (["-ume:pass", "list", "here"], ["-u*******", "list", "here"]),
            (["-H", "X-Key: abc", "list", "here"], ["-H", "**********", "list", "here"]),
            (["-b", "a=1", "list", "here"], ["-b", "***", "list", "here"]),
            (["http://me:p@host/x", "here"], ["http://****@host/x", "here"]),
            (["http://host/x@y", "here"], ["http://host/x@y", "here"]),
            (["-n", "list", "here"], ["-n", "list", "here"]),
        ])
    func blots(words: [String], expected: [String]) {
        let parts = SecretWords.parts(of: words.map { ArgumentValue(Array($0.utf8)) })
        let result = words.map { word in
            String(decoding: SecretWords.blotted(Array(word.utf8), hiding: parts) ?? Array(word.utf8), as: UTF8.self)
        }
        #expect(result == expected)
    }
}

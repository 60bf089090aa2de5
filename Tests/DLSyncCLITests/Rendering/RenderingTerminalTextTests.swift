import Testing

@testable import DLSyncCLI

@Suite("Names on a terminal")
struct RenderingTerminalTextTests {
    @Test(
        "Nothing in a name can command the terminal",
        arguments: [
            (Array("plain-1.2.iso".utf8), "plain-1.2.iso"), (Array("größe/東京".utf8), "größe/東京"),
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), (Array("a\u{1B}[2Jb\n".utf8), "a\\x1b[2Jb\\x0a"),
            (Array("\u{7F}\u{9B}\r".utf8), "\\x7f\\x9b\\x0d"), (Array("a\u{202E}gpj.exe".utf8), "a\\u{202e}gpj.exe"),
            (Array("a\u{2028}b".utf8), "a\\u{2028}b"), ([], ""),
        ] as [([UInt8], String)])
    func printable(bytes: [UInt8], text: String) { #expect(TerminalText.printable(bytes) == text) }

    @Test(
        "Columns are counted as a terminal does",
        arguments: [
            ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("🇩🇪", 2), ("🎉", 2),
            ("ﾃﾞ", 2), ("…", 1), ("☁\u{FE0F}", 2), ("", 0),
        ])
    func columns(text: String, columns: Int) { #expect(TerminalText.columns(of: text) == columns) }

    @Test(
        "The middle of a long name gives way",
        arguments: [
            ("abcdefghij", 10, "abcdefghij"), ("abcdefghij", 9, "abcd…ghij"), ("abcdefghij", 6, "abc…ij"),
            ("abcdefghij", 2, "a…"), ("abcdefghij", 1, "…"), ("abcdefghij", 0, ""), ("東京都庁舎", 6, "東…舎"),
            ("東京都庁舎", 7, "東京…舎"), ("東京都庁舎", 10, "東京都庁舎"),
        ])
    func shortened(text: String, width: Int, expected: String) {
        #expect(TerminalText.shortened(text, to: width) == expected)
    }

    @Test("A fitted text takes its columns exactly", arguments: 0..<30)
    func fitted(width: Int) {
        for text in ["", "abc", "東京都庁舎.tar.gz", "a-rather-long-name-of-a-file.iso", "e\u{301}e\u{301}e\u{301}"] {
            #expect(TerminalText.columns(of: TerminalText.fitted(text, to: width)) == width, "\(text)")
        }
    }
}

import Testing

@testable import DLSyncCLI

private let mebibyte: Int64 = 1 << 20

private let sample = ProgressView(
    filesDone: 12, filesTotal: 340, bytesDone: 1229 * mebibyte, bytesTotal: 4608 * mebibyte,
    bytesPerSecond: 12.3 * Double(mebibyte), timeLeft: .seconds(275), failures: 3,
    active: [
        .init(
            name: Array("pool/main/d/debian-12.5.0-amd64-netinst.iso".utf8), bytesDone: 314 * mebibyte,
            bytesTotal: 629 * mebibyte, bytesPerSecond: 8.1 * Double(mebibyte), segments: 4),
        .init(name: Array("a\nb".utf8), bytesDone: 512),
        .init(name: Array("README".utf8), bytesDone: 2048, bytesTotal: 2048, bytesPerSecond: 0),
    ])

@Suite("Drawing progress")
struct RenderingProgressTests {
    @Test("At 80 columns there is room for everything")
    func wide() {
        #expect(
            ProgressRenderer(width: 80, height: 24).lines(sample) == [
                "12/340 files  1.2 GiB/4.5 GiB  26%  12.3 MiB/s  4:35 left  3 failed",
                "  pool/main/d/debia…amd64-netinst.iso   49%   314 MiB/629 MiB    8.1 MiB/s   x4",
                #"  a\x0ab                                        512 B"#,
                "  README                               100%   2.0 KiB/2.0 KiB        0 B/s",
            ])
    }

    @Test(
        "Where columns are few the least telling figures go first",
        arguments: [
            (
                60,
                [
                    "12/340 files  1.2 GiB/4.5 GiB  26%  4:35 left  3 failed",
                    "  pool/main/…tinst.iso   49%   314 MiB/629 MiB    8.1 MiB/s",
                    #"  a\x0ab                         512 B"#,
                    "  README                100%   2.0 KiB/2.0 KiB        0 B/s",
                ]
            ),
            (
                50,
                [
                    "12/340 files  26%  4:35 left  3 failed",
                    "  pool/main/d/de…64-netinst.iso   49%   8.1 MiB/s",
                    #"  a\x0ab"#,
                    "  README                         100%       0 B/s",
                ]
            ),
            (
                30,
                [
                    "12/340 files  26%  3 failed", "  pool/main/…etinst.iso   49%", #"  a\x0ab"#,
                    "  README                 100%",
                ]
            ),
            (10, ["12/3…iled", "  poo…iso", #"  a\x0ab"#, "  README"]),
            (1, ["…", "", "", ""]),
            (0, ["…", "", "", ""]),
        ] as [(Int, [String])])
    func narrow(width: Int, lines: [String]) {
        #expect(ProgressRenderer(width: width, height: 24).lines(sample) == lines)
    }

    @Test(
        "Where lines are few the files without room are counted",
        arguments: [(5, 4), (4, 3), (3, 2), (2, 1), (1, 1), (0, 1)])
    func low(height: Int, count: Int) {
        let lines = ProgressRenderer(width: 80, height: height).lines(sample)
        #expect(lines.count == count)
        #expect(lines.last?.contains("more") == (3...4).contains(height))
    }

    @Test("What is not known is left out")
    func unknown() {
        let view = ProgressView(filesDone: 1, bytesDone: 100, active: [.init(name: Array("x".utf8), bytesDone: 7)])
        #expect(
            ProgressRenderer(width: 60, height: 9).lines(view) == [
                "1 file  100 B", "  x                                7 B",
            ])
    }

    @Test("A log has one line without an end of its own")
    func plain() {
        #expect(
            ProgressRenderer.plainLine(sample)
                == "12/340 files, 1.2 GiB/4.5 GiB, 26%, 12.3 MiB/s, 4:35 left, 3 failed")
        #expect(ProgressRenderer.plainLine(ProgressView(filesDone: 0, filesTotal: 1, bytesDone: 0)) == "0/1 file, 0 B")
    }

    @Test(
        "All is only said to be done when it is",
        arguments: [
            (0, 100, 0), (99, 100, 99), (100, 100, 100), (999_999, 1_000_000, 99), (5, 0, nil), (5, nil, nil),
            (120, 100, 100), (-1, 100, 0), (.max - 1, .max, 99), (.max, .max, 100),
        ] as [(Int64, Int64?, Int?)])
    func percent(done: Int64, total: Int64?, expected: Int?) { #expect(percentage(of: done, in: total) == expected) }

    @Test("No line reaches the last column and no drawing the last line", arguments: 0..<60 as Range<UInt64>)
    func bounds(seed: UInt64) {
        var random = Numbers(state: seed)
        for _ in 0..<20 {
            let view = ProgressView(
                filesDone: random.below(2000), filesTotal: random.maybe(random.below(100_000)),
                bytesDone: random.size(), bytesTotal: random.maybe(random.size()),
                bytesPerSecond: random.maybe(Double(random.size())),
                timeLeft: random.maybe(.seconds(random.below(10_000_000))), failures: random.below(3),
                active: (0..<random.below(20)).map { _ in
                    .init(
                        name: (0..<random.below(120)).map { _ in UInt8(truncatingIfNeeded: random.below(256)) },
                        bytesDone: random.size(), bytesTotal: random.maybe(random.size()),
                        bytesPerSecond: random.maybe(Double(random.size())), segments: random.below(17))
                })
            let (width, height) = (random.below(160), random.below(30))
            let lines = ProgressRenderer(width: width, height: height).lines(view)
            #expect(lines.count <= max(1, height - 1))
            for line in lines {
                #expect(TerminalText.columns(of: line) <= max(1, width - 1), "\(width): \(line)")
                #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }
}

@Suite("Drawing over what was drawn")
struct RenderingTerminalRedrawTests {
    @Test(
        "The sequence is as short as it can be",
        arguments: [
            ([], ["a"], "␍a␛[K␊"), (["a"], ["b"], "␛[1A␍b␛[K␊"), (["a"], ["a"], ""),
            (["a", "b"], ["a", "c"], "␛[2A␊␍c␛[K␊"), (["a", "b"], ["a"], "␛[2A␊␍␛[J"),
            (["a", "b"], [], "␛[2A␍␛[J"), (["a"], ["a", "b"], "␛[1A␊␍b␛[K␊"), ([], [], ""),
        ] as [([String], [String], String)])
    func sequences(previous: [String], lines: [String], expected: String) {
        // A terminal that shows the arguments of this test is not to obey them.
        let signs: [Character: Character] = ["␛": "\u{1B}", "␍": "\r", "␊": "\n"]
        let spelledOut = String(expected.map { signs[$0] ?? $0 })
        #expect(TerminalRedraw.sequence(previousLines: previous, lines: lines) == spelledOut)
    }

    @Test("A message pushes the lines down")
    func message() {
        #expect(TerminalRedraw.sequence(printing: "m", above: ["a"]) == "\u{1B}[1A\r\u{1B}[Jm\n\ra\u{1B}[K\n")
        #expect(TerminalRedraw.sequence(printing: "m", above: []) == "m\n")
    }

    @Test("After any drawings a screen shows the last one", arguments: 0..<60 as Range<UInt64>)
    func screen(seed: UInt64) {
        var random = Numbers(state: seed)
        var screen = Screen()
        var previous: [String] = []
        var messages: [String] = []
        for step in 0..<30 {
            if random.below(5) == 0 {
                messages.append("message \(step)")
                screen.show(TerminalRedraw.sequence(printing: "message \(step)", above: previous))
            } else {
                let lines = (0..<random.below(6)).map { _ in String(repeating: "abc", count: random.below(4)) }
                screen.show(TerminalRedraw.sequence(previousLines: previous, lines: lines))
                previous = lines
            }
            #expect(screen.text == messages + previous + [""])
        }
    }
}

/// A terminal without end that knows the sequences in question and refuses any other.
private struct Screen {
    private var rows: [[Character]] = [[]]
    private var row = 0
    private var column = 0

    var text: [String] { rows.map { String($0) } }

    mutating func show(_ sequence: String) {
        var rest = Array(sequence.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n":
                // The terminal driver makes a line feed a carriage return and a line feed.
                (row, column) = (row + 1, 0)
                if row == rows.count { rows.append([]) }
            case "\r": column = 0
            case "\u{1B}":
                let body = rest.dropFirst().prefix { ("0"..."9").contains($0) }
                rest = rest.dropFirst(1 + body.count)
                switch rest.popFirst() {
                case "A": row -= Int(String(String.UnicodeScalarView(body))) ?? 1
                case "K": rows[row].removeSubrange(min(column, rows[row].count)...)
                case "J":
                    rows[row].removeSubrange(min(column, rows[row].count)...)
                    rows.removeSubrange((row + 1)...)
                default: Issue.record("a sequence that this terminal does not know")
                }
            default:
                if column < rows[row].count {
                    rows[row][column] = Character(scalar)
                } else {
                    rows[row].append(Character(scalar))
                }
                column += 1
            }
        }
    }
}

/// Seeded numbers, the same everywhere.
private struct Numbers {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func size() -> Int64 { Int64(below(1 << 30)) << Int64(below(33)) }

    mutating func maybe<Value>(_ value: Value) -> Value? { below(3) == 0 ? nil : value }
}

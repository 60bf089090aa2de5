import TestSupport
import Testing

@testable import SyncCore

/// The tokens of a text, cut at every place, or the fault.
private func tokens(_ text: [UInt8]) throws -> (tokens: [JSONToken], fault: JSONTokenizer.Fault?) {
    func read(_ pieces: [ArraySlice<UInt8>]) -> (tokens: [JSONToken], fault: JSONTokenizer.Fault?) {
        var tokenizer = JSONTokenizer()
        var found: [JSONToken] = []
        do throws(JSONTokenizer.Fault) {
            for piece in pieces {
                var rest = piece
                while let token = try tokenizer.next(&rest) { found.append(token) }
                #expect(rest.isEmpty)
            }
        } catch {
            return (found, error)
        }
        return (found, tokenizer.isWhole ? nil : JSONTokenizer.Fault(message: "cut"))
    }
    let whole = read([text[...]])
    for cut in text.indices {
        let other = read([text[..<cut], text[cut...]])
        #expect(other.tokens == whole.tokens && other.fault == whole.fault, "cut at \(cut)")
    }
    return whole
}

private func string(_ text: String) throws -> JSONText? {
    let read = try tokens(Array("[\"\(text)\"]".utf8))
    guard read.fault == nil, read.tokens.count == 3, case .string(let text) = read.tokens[1] else { return nil }
    return text
}

@Suite struct JSONTokenizerTests {
    @Test("every kind of value is a token, in order")
    func values() throws {
        let read = try tokens(Array(" {\"a\" : [1, -0.5e+3 ,true,false , null,{}, [] ], \"b\":\"x\"} \n".utf8))
        let text = { (text: String) in JSONText(bytes: Array(text.utf8)) }
        #expect(read.fault == nil)
        #expect(
            read.tokens == [
                .beginObject, .name(text("a")), .beginArray, .number(Array("1".utf8)), .number(Array("-0.5e+3".utf8)),
                .bool(true), .bool(false), .null, .beginObject, .endObject, .beginArray, .endArray, .endArray,
                .name(text("b")), .string(text("x")), .endObject,
            ])
    }

    @Test(
        "strings are decoded",
        arguments: [
            ("", ""), ("a\\\"\\\\\\/b", "a\"\\/b"), ("\\b\\f\\n\\r\\t", "\u{8}\u{C}\n\r\t"), ("é", "é"),
            ("\\u00e9", "é"),
            ("\\ud83d\\ude00", "😀"), ("\\uD83D\\uDE00x", "😀x"), ("\\u0000", "\u{0}"),
        ])
    func strings(_ written: String, _ meant: String) throws {
        #expect(try string(written) == JSONText(bytes: Array(meant.utf8)))
    }

    @Test(
        "half a surrogate pair makes a string none that can be used",
        arguments: ["\\ud83d", "\\ud83dx", "\\ud83d\\n", "\\ude00", "\\ud83d\\ud83d\\ude00", "a\\ud83d\\u0041"])
    func surrogates(_ written: String) throws { #expect(try string(written)?.isWhole == false) }

    @Test("a surrogate that Python stands for a byte is the byte, and bytes that are not UTF-8 pass")
    func bytes() throws {
        #expect(try string("caf\\udce9") == JSONText(bytes: [0x63, 0x61, 0x66, 0xE9]))
        let read = try tokens(Array("[\"".utf8) + [0xFF, 0xC3] + Array("\"]".utf8))
        #expect(read.tokens.dropFirst().first == .string(JSONText(bytes: [0xFF, 0xC3])))
    }

    @Test(
        "what is no JSON is a fault",
        arguments: [
            "[01]", "[1.]", "[.5]", "[-]", "[1e]", "[1e+]", "[+1]", "[--1]", "[1-1]", "[tru]", "[truex]", "[nul]",
            "[True]",
            "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}", "{,}", "[}", "{]", "]", "[1]]",
            "[] []", "[\"\\x\"]", "[\"\\u12g4\"]", "[\"\n\"]", "['a']", "[\"a\":1]", "[NaN]", "{\"a\" \"b\"}",
            "[\"a\"\"b\"]",
            "{\"a\":1 \"b\":2}", ":", "[1", "{", "[\"", "[\"\\", "[\"\\u1", "[t", "", " ",
        ])
    func faults(_ text: String) throws { #expect(try tokens(Array(text.utf8)).fault != nil) }

    @Test("depth, strings and numbers are bounded")
    func bounds() throws {
        #expect(try tokens(Array(repeating: 0x5B, count: 65)).fault?.message.contains("64") == true)
        #expect(
            try tokens(Array("[\(String(repeating: "1", count: 65))".utf8)).fault?.message.contains("too long") == true)
        var tokenizer = JSONTokenizer()
        var text = Array("[\"".utf8)[...]
        #expect(try tokenizer.next(&text) == .beginArray)
        #expect(try tokenizer.next(&text) == nil)
        for _ in 0..<200 {
            var piece = [UInt8](repeating: 0x61, count: 10_000)[...]
            while try tokenizer.next(&piece) != nil {}
        }
        var end = Array("\"]".utf8)[...]
        #expect(try tokenizer.next(&end) == .string(JSONText(bytes: [], isWhole: false)))
    }
}

import Foundation
import Testing

@testable import DLSyncCLI

@Suite("Writing JSON")
struct RenderingJSONTests {
    @Test(
        "Every value has one form",
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (.integer(.min), "-9223372036854775808"),
            (.integer(.max), "9223372036854775807"), (1.5, "1.5"), (.double(1e300), "1e+300"), (.double(-0.0), "-0.0"),
            (.double(.infinity), "null"), (.double(.nan), "null"), ("", "\"\""), ([], "[]"),
            ([1, nil, "a"], "[1,null,\"a\"]"),
            ([:], "{}"), (["b": 1, "a": ["c": []]], "{\"b\":1,\"a\":{\"c\":[]}}"),
            ("q\"b\\s/", "\"q\\\"b\\\\s/\""), ("\u{8}\t\n\u{C}\r", "\"\\b\\t\\n\\f\\r\""),
            ("\0\u{1F}", "\"\\u0000\\u001f\""),
            ("\u{7F}\u{85}\u{2028}\u{2029}", "\"\\u007f\\u0085\\u2028\\u2029\""), ("é🎉e\u{301}", "\"é🎉e\u{301}\""),
        ] as [(JSONValue, String)])
    func forms(value: JSONValue, text: String) {
        #expect(Array(value.description.utf8) == Array(text.utf8))
    }

    @Test("A line holds its members in order, and ends")
    func line() {
        var object: JSONObject = ["type": "entry"]
        object.add("path", bytes: Array("a b".utf8))
        object.add("size", integer: 1_048_576)
        object.add("modified", string: nil)
        object.add("have", integer: nil)
        object.add("reason", string: "new")
        #expect(
            object.line
                == "{\"type\":\"entry\",\"path\":\"a b\",\"size\":1048576,\"modified\":null,\"have\":null,\"reason\":\"new\"}\n"
        )
    }

    @Test("A name that is not UTF-8 keeps its bytes beside it")
    func bytes() {
        var object = JSONObject()
        object.add("path", bytes: [0x61, 0xFF, 0x0A, 0x2F])
        #expect(object.line == "{\"path\":\"a\u{FFFD}\\n/\",\"pathBytes\":\"61ff0a2f\"}\n")
    }

    @Test("Another reader of JSON reads what was written", arguments: 0..<50)
    func otherReader(seed: Int) throws {
        // Every scalar of a block of its own, with its name as a member too.
        let scalars = (0..<400).compactMap { Unicode.Scalar(UInt32(seed * 400 + $0)) }
        let text = String(String.UnicodeScalarView(scalars))
        let object: JSONObject = ["text": .string(text), "list": [.string(text), .integer(Int64(seed) << 40), 0.1]]
        let line = object.line
        #expect(line.utf8.filter { $0 == 0x0A }.count == 1)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect((read["text"] as? String)?.unicodeScalars.elementsEqual(scalars) == true)
        let list = try #require(read["list"] as? [Any])
        #expect(list[1] as? Int == seed << 40)
        #expect(list[2] as? Double == 0.1)
    }
}

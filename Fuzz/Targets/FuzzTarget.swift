/// Something that takes bytes from outside, with what must hold whatever the bytes are.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// What `Fuzz/run` and `Fuzz/FailCases` call it.
    package let name: String
    /// Feeds it bytes, and gives a sentence where something does not hold. What traps, traps here.
    package let fault: @Sendable (_ bytes: [UInt8]) -> String?

    package var description: String { name }

    init(_ name: String, fault: @escaping @Sendable (_ bytes: [UInt8]) -> String?) {
        self.name = name
        self.fault = fault
    }

    /// All targets: every format that is read, and what reads bytes beside them.
    package static let all: [FuzzTarget] = readers + [recognition, unpacker, responseHead, url, netrc, texts]
}

/// A country as mirrors name theirs: two letters (ISO 3166-1), in lower case.
public struct CountryCode: Hashable, Sendable {
    /// The two letters.
    public let letters: String

    /// Reads two ASCII letters in any case; nil for anything else.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count == 2, text.allSatisfy(isLetter) else { return nil }
        letters = String(decoding: asciiLowercase(text), as: UTF8.self)
    }

    /// Reads codes separated by commas; nil where any is none.
    public static func list(_ text: String) -> Set<CountryCode>? {
        var codes: Set<CountryCode> = []
        for part in Array(text.utf8).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let code = CountryCode(part) else { return nil }
            codes.insert(code)
        }
        return codes
    }
}

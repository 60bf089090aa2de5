import SyncCore
import Testing

private struct ComparedAnswers: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let one: Representation
    let other: Representation
    let agrees: Bool
    let isProven: Bool
}

private func answer(
    _ length: Int64?, tag: String? = nil, date: Int64? = nil, coding: String? = nil
) -> Representation {
    Representation(
        length: length, entityTag: tag.flatMap { EntityTag(fieldValue: $0) },
        lastModified: date.map { HTTPDate(secondsSinceEpoch: $0) }, contentCoding: coding)
}

private let comparedAnswers = [
    ComparedAnswers(
        testDescription: "the same tag", one: answer(5, tag: "\"a\""), other: answer(5, tag: "\"a\""), agrees: true,
        isProven: true),
    ComparedAnswers(
        testDescription: "the same tag, and another date", one: answer(5, tag: "\"a\"", date: 1),
        other: answer(5, tag: "\"a\"", date: 2), agrees: true, isProven: true),
    ComparedAnswers(
        testDescription: "another tag, and the same date", one: answer(5, tag: "\"a\"", date: 1),
        other: answer(5, tag: "\"b\"", date: 1), agrees: false, isProven: false),
    ComparedAnswers(
        testDescription: "a weak tag beside a strong one", one: answer(5, tag: "W/\"a\""),
        other: answer(5, tag: "\"a\""), agrees: true, isProven: true),
    ComparedAnswers(
        testDescription: "the same date", one: answer(5, date: 1), other: answer(5, date: 1), agrees: true,
        isProven: true),
    ComparedAnswers(
        testDescription: "a date that went back", one: answer(5, date: 2), other: answer(5, date: 1), agrees: false,
        isProven: false),
    ComparedAnswers(
        testDescription: "validators of two kinds", one: answer(5, tag: "\"a\""), other: answer(5, date: 1),
        agrees: true, isProven: false),
    ComparedAnswers(
        testDescription: "no validators", one: answer(5), other: answer(5), agrees: true, isProven: false),
    ComparedAnswers(
        testDescription: "another length", one: answer(5, tag: "\"a\""), other: answer(6, tag: "\"a\""), agrees: false,
        isProven: false),
    ComparedAnswers(
        testDescription: "a length that is not told", one: answer(5, tag: "\"a\""), other: answer(nil, tag: "\"a\""),
        agrees: true, isProven: false),
    ComparedAnswers(
        testDescription: "no length in either", one: answer(nil, date: 1), other: answer(nil, date: 1), agrees: true,
        isProven: true),
    ComparedAnswers(
        testDescription: "another coding", one: answer(5, tag: "\"a\"", coding: "gzip"), other: answer(5, tag: "\"a\""),
        agrees: false, isProven: false),
]

@Suite struct RepresentationTests {
    @Test(arguments: comparedAnswers)
    private func `answers are compared by length, coding, tag, and else by date`(row: ComparedAnswers) {
        #expect(row.one.agrees(with: row.other) == row.agrees)
        #expect(row.other.agrees(with: row.one) == row.agrees)
        #expect(row.one.isProvenSame(as: row.other) == row.isProven)
        #expect(row.other.isProvenSame(as: row.one) == row.isProven)
    }

    @Test(arguments: [
        (Validators.strongTag, true), (.weakTag, false), (.date, true), (.tagAndDate, true), (.none, false),
    ])
    func `ranges are bound by a strong tag or a date`(validators: Validators, binds: Bool) {
        #expect(Representation.numbered(1, length: 5, validators).bindsRanges == binds)
    }

    @Test(arguments: comparedAnswers)
    private func `a record is told from an answer in words where they do not agree`(row: ComparedAnswers) {
        let isCodingAlone = row.one.contentCoding != row.other.contentCoding
        if !isCodingAlone, !row.agrees { #expect(row.one.difference(from: row.other) != nil) }
        if row.isProven { #expect(row.one.difference(from: row.other) == nil) }
    }

    @Test func `what tells too little is taken as changed where the length is not known`() {
        #expect(answer(5).difference(from: answer(5)) == nil)
        #expect(answer(5).difference(from: answer(nil)) != nil)
        #expect(answer(nil, date: 1).difference(from: answer(nil, date: 1)) == nil)
    }
}

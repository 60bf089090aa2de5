import SyncCore

extension FuzzTarget {
    /// Heads of HTTP answers, a line each.
    static let responseHead = FuzzTarget("head") { bytes in
        let now = HTTPDate(secondsSinceEpoch: 1_800_000_000)
        var parser = ResponseHeadParser(now: now)
        var other = ResponseHeadParser()
        // A last head without its empty line gets one.
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) + [[]] {
            _ = other.read(line: line)
            guard let head = parser.read(line: line), let fault = headFault(head) else { continue }
            return "\(fault): \(head)"
        }
        return nil
    }

    /// Dates, sizes and spans of time, as servers, listings and people write them.
    static let texts = FuzzTarget("texts") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for date in [HTTPDate(fieldValue: text), HTTPDate(fieldValue: text, now: HTTPDate(secondsSinceEpoch: 0))] {
            guard let date else { continue }
            if HTTPDate(fieldValue: date.fieldValue) != date { return "\(date) is read as another" }
        }
        if let range = ContentRange(fieldValue: text) {
            if let part = range.range, part.start < 0 || part.end <= part.start { return "an empty part: \(range)" }
            if let length = range.completeLength, length < range.range?.end ?? 0 { return "beyond the end: \(range)" }
        }
        if case .delay(let delay)? = RetryAfter(bytes: bytes[...], now: nil), delay < .zero {
            return "a negative delay"
        }
        if let size = SizeText.parse(text), size < 0 { return "a negative size" }
        if let rate = SizeText.parseRate(text), rate < 0 { return "a negative rate" }
        if let duration = DurationText.parse(text) {
            if duration < .zero { return "a negative span" }
            _ = DurationText.text(duration)
        }
        if let found = findListedDate(in: bytes[...]), !(0...bytes.count).contains(found.range.upperBound) {
            return "a date outside of its text"
        }
        _ = listedDate(whole: bytes[...])
        if let size = ListedSize(startOf: bytes[...]), !(0...bytes.count).contains(size.end) {
            return "a size outside of its text"
        }
        _ = ListedSize(whole: bytes[...])
        return nil
    }
}

private func headFault(_ head: ResponseHead) -> String? {
    if !(0...999).contains(head.status) { return "no status" }
    if let length = head.contentLength, length < 0 { return "a negative length" }
    if let length = head.representation.length, length < 0 { return "a negative complete length" }
    if let range = head.contentRange?.range, range.start < 0 || range.end <= range.start { return "an empty part" }
    if case .delay(let delay)? = head.retryAfter, delay < .zero { return "a negative delay" }
    for digest in head.digests where digest.bytes.count != digest.algorithm.byteCount {
        return "a digest of a wrong length"
    }
    return nil
}

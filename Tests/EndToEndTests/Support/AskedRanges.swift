import TestSupport

/// How many different bytes of a file requests asked for. Two may ask for the same ones: where a second transfer takes
/// over the rest of a first, that one's range was longer than what it is to bring.
func bytesAsked(_ requests: some Sequence<RecordedRequest>, size: Int64) -> Int64 {
    var total: Int64 = 0
    var end: Int64 = 0
    for range in requests.filter({ $0.method == "GET" }).map({ asked($0, size) }).sorted(by: { $0.first < $1.first }) {
        total += max(0, range.end - max(end, range.first))
        end = max(end, range.end)
    }
    return total
}

private func asked(_ request: RecordedRequest, _ size: Int64) -> (first: Int64, end: Int64) {
    guard let range = request.range, range.hasPrefix("bytes=") else { return (0, size) }
    let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard ends.count == 2, let first = ends[0] else { return (0, size) }
    return (first, ends[1].map { min(size, $0 + 1) } ?? size)
}

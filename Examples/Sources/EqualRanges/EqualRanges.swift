// One file cut into equal ranges, which are fetched side by side into one file of the full size.
//
//     swift run EqualRanges http://example.org/disk.img /srv/images 4

import DLSync

@main
struct EqualRanges {
    static func main() async throws {
        guard CommandLine.arguments.count == 4, let url = WebURL(CommandLine.arguments[1]),
            let ranges = Int(CommandLine.arguments[3]), ranges > 0
        else {
            print("usage: EqualRanges URL DIRECTORY RANGES")
            return
        }
        var configuration = SyncConfiguration()
        configuration.connectionsPerHost = max(ranges, configuration.connectionsPerHost)
        configuration.connections = max(ranges, configuration.connections)
        try await withSyncSession(into: CommandLine.arguments[2], configuration) { session in
            var options = Download.Options()
            options.segments = .fixed(ranges)
            options.minimumSegment = 64 << 10
            let download = session.download(url, options: options)
            download.onProgress { print("\($0.have) of \($0.size ?? 0) bytes, by \($0.transfers) transfers") }
            download.start()
            let file = try await download.finished()
            print("finished: \(file.path), \(file.size) bytes")
        }
    }
}

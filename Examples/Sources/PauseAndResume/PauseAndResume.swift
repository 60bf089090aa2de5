// One file by one stream, paused in the middle and resumed from what is on disk.
//
//     swift run PauseAndResume http://example.org/disk.img /srv/images

import DLSync

@main
struct PauseAndResume {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let url = WebURL(CommandLine.arguments[1]) else {
            print("usage: PauseAndResume URL DIRECTORY")
            return
        }
        try await withSyncSession(into: CommandLine.arguments[2]) { session in
            var options = Download.Options()
            options.segments = .fixed(1)
            let download = session.download(url, options: options)

            // The first quarter is enough to pause at.
            let (quarter, reached) = AsyncStream<Void>.makeStream()
            download.onProgress { progress in
                if let size = progress.size, progress.have >= size / 4 { reached.finish() }
            }
            download.start()
            let end = Task {
                let file = try? await download.finished()
                reached.finish()
                return file
            }
            for await _ in quarter {}

            if let data = await download.pause() {
                print("paused: \(data.have) of \(data.size ?? 0) bytes of \(data.path) are here")
                download.resume()
                let file = try await download.finished()
                print("finished: \(file.path), \(file.size) bytes, \(file.bytesReceived) of them received")
            } else if let file = await end.value {
                print("finished before it could be paused: \(file.path), \(file.size) bytes")
            } else {
                throw Failure(.interrupted, "nothing of \(url.redacted) has come")
            }
        }
    }
}

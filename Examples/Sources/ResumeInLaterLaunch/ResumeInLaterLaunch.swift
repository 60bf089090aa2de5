// Pauses in one launch and goes on in another, which is handed nothing but the resume data.
//
//     swift run ResumeInLaterLaunch begin http://example.org/disk.img /srv/images > resume.txt
//     swift run ResumeInLaterLaunch resume /srv/images < resume.txt

import DLSync

@main
struct ResumeInLaterLaunch {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "begin" where words.count == 3:
            guard let url = WebURL(CommandLine.arguments[2]) else { return }
            try await begin(url, in: CommandLine.arguments[3])
        case "resume" where words.count == 2:
            try await resume(in: CommandLine.arguments[2])
        default:
            print("usage: ResumeInLaterLaunch begin URL DIRECTORY | resume DIRECTORY")
        }
    }

    /// Fetches until a quarter is here, and prints what a later launch needs.
    static func begin(_ url: WebURL, in directory: String) async throws {
        try await withSyncSession(into: directory) { session in
            let download = session.download(url)
            let (quarter, reached) = AsyncStream<Void>.makeStream()
            download.onProgress { progress in
                if let size = progress.size, progress.have >= size / 4 { reached.finish() }
            }
            download.start()
            Task {
                _ = try? await download.finished()
                reached.finish()
            }
            for await _ in quarter {}
            if let data = await download.pause() { print(data.text, terminator: "") }
        }
    }

    /// Goes on from what the first launch printed.
    static func resume(in directory: String) async throws {
        var text = ""
        while let line = readLine(strippingNewline: false) { text += line }
        guard let data = ResumeData(text: text) else {
            print("standard input holds no resume data")
            return
        }
        try await withSyncSession(into: directory) { session in
            let download = session.download(resuming: data)
            download.start()
            let file = try await download.finished()
            print("finished: \(file.path), \(file.size) bytes, \(file.bytesReceived) of them received now")
        }
    }
}

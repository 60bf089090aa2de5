// Goes on behind a shorter file that something else left under the final name: its size is all that is known. Its bytes
// are compared with the server's at several places first, so that a file that changed is fetched anew.
//
//     curl -o /srv/images/disk.img --max-time 5 http://example.org/disk.img
//     swift run ResumeByFileSize http://example.org/disk.img /srv/images disk.img

import DLSync

@main
struct ResumeByFileSize {
    static func main() async throws {
        guard CommandLine.arguments.count == 4, let url = WebURL(CommandLine.arguments[1]) else {
            print("usage: ResumeByFileSize URL DIRECTORY NAME")
            return
        }
        let path = try RelativePath(CommandLine.arguments[3])
        try await withSyncSession(into: CommandLine.arguments[2]) { session in
            let download = session.download(url, to: path)
            download.start()
            let file = try await download.finished()
            print("\(file.action.rawValue): \(file.path), \(file.size) bytes, \(file.bytesReceived) of them received")
        }
    }
}

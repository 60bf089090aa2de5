/// Tells an error page that is sent with status 200 from the file that was asked for.
///
/// It is careful to accuse: a page is one only if it is HTML, and either the name says that the file is something else, or
/// the file was something else before. Where a size or a digest is promised, that decides instead.
package enum SoftError {
    /// Endings of names whose type every server knows, and knows not to be HTML.
    private static let endings: Set<String> = [
        "7z", "avi", "bz2", "deb", "exe", "flac", "gif", "gz", "img", "iso", "jar", "jpeg", "jpg", "mkv", "mov", "mp3",
        "mp4",
        "ogg", "pdf", "png", "rar", "rpm", "tar", "tgz", "tif", "tiff", "torrent", "wav", "webm", "webp", "whl", "xz",
        "zip",
        "zst",
    ]

    /// The failure that an answer is, if it is an error page.
    ///
    /// - Parameters:
    ///   - now: What the answer says of itself.
    ///   - url: The URL that the source names; its ending tells what is wanted.
    ///   - known: What the URL named before, if that is known.
    package static func failure(_ now: Representation, at url: WebURL, known: Representation? = nil) -> Failure? {
        guard isHTML(now.mediaType) else { return nil }
        let wasOther = known?.mediaType.map { !isHTML($0) } ?? false
        let name = url.lastPathSegment
        let ending = name.lastIndex(of: UInt8(ascii: ".")).map {
            String(decoding: name[name.index(after: $0)...], as: UTF8.self).lowercased()
        }
        guard wasOther || ending.map(endings.contains) == true else { return nil }
        return Failure(
            .softError,
            "\(url.redacted) gives a web page instead of the file; it may be an error page, or a login that is asked for"
        )
    }

    private static func isHTML(_ mediaType: String?) -> Bool {
        mediaType == "text/html" || mediaType == "application/xhtml+xml"
    }
}

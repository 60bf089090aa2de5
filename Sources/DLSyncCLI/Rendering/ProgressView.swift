/// What a run has come to, as a plain value: sampled by whoever draws it.
package struct ProgressView: Hashable, Sendable {
    /// A file that is being fetched.
    package struct Active: Hashable, Sendable {
        /// The bytes of its relative path.
        package var name: [UInt8]
        /// How much of it is here.
        package var bytesDone: Int64
        /// Its size; nil where the server did not tell.
        package var bytesTotal: Int64?
        /// How fast it comes at the moment; nil where that is not known yet.
        package var bytesPerSecond: Double?
        /// How many transfers work on it.
        package var segments: Int

        /// A file that is being fetched.
        package init(
            name: [UInt8], bytesDone: Int64, bytesTotal: Int64? = nil, bytesPerSecond: Double? = nil, segments: Int = 1
        ) {
            self.name = name
            self.bytesDone = bytesDone
            self.bytesTotal = bytesTotal
            self.bytesPerSecond = bytesPerSecond
            self.segments = segments
        }
    }

    /// Files that are finished, well or not.
    package var filesDone: Int
    /// All files; nil while listings are still being read.
    package var filesTotal: Int?
    /// Bytes that are here.
    package var bytesDone: Int64
    /// Bytes of all files; nil while a size is unknown.
    package var bytesTotal: Int64?
    /// How fast the bytes come at the moment; nil where that is not known yet.
    package var bytesPerSecond: Double?
    /// How long the rest will take; nil where that cannot be told.
    package var timeLeft: Duration?
    /// Files that failed for good.
    package var failures: Int
    /// The files that are being fetched, those first that are to be seen if there is no room for all.
    package var active: [Active]

    /// What a run has come to.
    package init(
        filesDone: Int, filesTotal: Int? = nil, bytesDone: Int64, bytesTotal: Int64? = nil,
        bytesPerSecond: Double? = nil, timeLeft: Duration? = nil, failures: Int = 0, active: [Active] = []
    ) {
        self.filesDone = filesDone
        self.filesTotal = filesTotal
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
        self.failures = failures
        self.active = active
    }
}

/// How much of a whole is done, in full percent: 100 is only said when all is done. Nil where there is no whole.
func percentage(of done: Int64, in total: Int64?) -> Int? {
    guard let total, total > 0 else { return nil }
    guard done < total else { return 100 }
    return min(99, Int(Double(max(done, 0)) / Double(total) * 100))
}

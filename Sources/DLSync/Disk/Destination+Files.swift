internal import Glibc
package import SyncCore
internal import Synchronization

// MARK: - Files in their place

extension Destination {
    /// Creates the directories that a path lies in, as far as they are missing.
    package func makeParents(of path: RelativePath) throws(DiskError) {
        try withDirectory(of: path, creating: true) { (_) throws(DiskError) in }
    }

    /// Puts a partial in its place by one rename: whoever looks sees the old file or the new one, whole. Missing
    /// directories are created.
    package func publish(partial id: String, as path: RelativePath) throws(DiskError) {
        let partials = try openPartialDirectory()
        try withDirectory(of: path, creating: true) { (directory) throws(DiskError) in
            try calls.rename(
                from: partials.number, try partialName(id), to: directory.number, path.name,
                oldPath: "\(partials.path)/\(id)", path: name(path))
        }
    }

    /// Moves a file to another path below the destination, whose directories are created: for backups.
    package func move(_ path: RelativePath, to target: RelativePath) throws(DiskError) {
        try withDirectory(of: target, creating: true) { (directory) throws(DiskError) in
            try withDirectory(of: path) { (source) throws(DiskError) in
                try calls.rename(
                    from: source.number, path.name, to: directory.number, target.name, oldPath: name(path),
                    path: name(target))
            }
        }
    }

    /// Removes a file. One that is missing is no error.
    package func remove(_ path: RelativePath) throws(DiskError) {
        do {
            try withDirectory(of: path) { (directory) throws(DiskError) in
                try calls.remove(in: directory.number, path.name, path: name(path))
            }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Removes the directories that a path lay in, from the innermost outwards, as long as they are empty. The
    /// destination itself stays.
    package func removeEmptyParents(of path: RelativePath) throws(DiskError) {
        var next = path.parent
        while let directory = next, try removeDirectory(directory) { next = directory.parent }
    }

    /// Removes a directory if it is empty; false if it is not. One that is missing is as good as removed.
    package func removeDirectory(_ directory: RelativePath) throws(DiskError) -> Bool {
        do {
            try withDirectory(of: directory) { (parent) throws(DiskError) in
                try calls.remove(in: parent.number, directory.name, isDirectory: true, path: name(directory))
            }
        } catch {
            switch error.code {
            case ENOENT: return true
            case ENOTEMPTY, EEXIST, EBUSY: return false
            default: throw error
            }
        }
        return true
    }

    /// Sets the time of last modification of a file in its place, in seconds since 1970.
    package func setModified(_ path: RelativePath, seconds: Int64) throws(DiskError) {
        try withDirectory(of: path) { (directory) throws(DiskError) in
            try calls.setModified(in: directory.number, path.name, seconds: seconds, path: name(path))
        }
    }

    /// Opens a file in its place for reading; only a regular one.
    package func openForReading(_ path: RelativePath) throws(DiskError) -> PublishedFile {
        try withDirectory(of: path) { (directory) throws(DiskError) in
            // Without O_NONBLOCK a pipe of that name would hold the run until somebody writes into it.
            let number = try calls.open(
                in: directory.number, path.name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK, path: name(path))
            let descriptor = Descriptor(number, calls: calls, path: name(path))
            guard try calls.status(number, path: descriptor.path).isRegular else {
                throw DiskError(code: EINVAL, operation: .open, path: name(path), obstacle: "is no regular file")
            }
            return PublishedFile(descriptor: descriptor)
        }
    }
}

// MARK: - Partials

extension Destination {
    /// Whether a text may be the id of a partial: 1 to 64 ASCII letters, digits and hyphens.
    package static func isPartialID(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...64).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Creates the file of a partial. One of that name must not be there yet.
    package func createPartial(_ id: String) throws(DiskError) -> PartialFile {
        let partial = try openPartial(id, flags: O_CREAT | O_EXCL)
        hasNewPartials.withLock { $0 = true }
        return partial
    }

    /// Opens the file of a partial that an earlier run left; `ENOENT` where it is missing.
    package func openPartial(_ id: String) throws(DiskError) -> PartialFile { try openPartial(id, flags: 0) }

    private func openPartial(_ id: String, flags: Int32) throws(DiskError) -> PartialFile {
        let partials = try openPartialDirectory()
        let path = "\(partials.path)/\(id)"
        let number = try calls.open(
            in: partials.number, try partialName(id), flags: flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK, mode: 0o666,
            path: path)
        let descriptor = Descriptor(number, calls: calls, path: path)
        // What was created just now is a regular file.
        if flags & O_EXCL == 0, !(try calls.status(number, path: path).isRegular) {
            throw DiskError(code: EINVAL, operation: .open, path: path, obstacle: "is no regular file")
        }
        return PartialFile(descriptor: descriptor, id: id)
    }

    /// What stands under a partial's name, without opening it.
    package func status(ofPartial id: String) throws(DiskError) -> LocalState {
        guard let partialDirectory else { return .absent }
        do {
            let status = try calls.status(
                in: partialDirectory.number, try partialName(id), path: "\(partialDirectory.path)/\(id)")
            return status.isRegular ? .file(LocalFile(status)) : .blocked("is no regular file")
        } catch {
            if error.code == ENOENT { return .absent }
            throw error
        }
    }

    /// Whether a partial's record tells of any data, and its file is long enough to have it.
    func hasData(of record: PartialRecord) -> Bool {
        guard case .file(let file)? = try? status(ofPartial: record.id), let last = record.extents.ranges.last
        else { return false }
        return last.end <= file.size
    }

    /// Removes the file of a partial. One that is missing is no error.
    package func removePartial(_ id: String) throws(DiskError) {
        let partials = try openPartialDirectory()
        do {
            try calls.remove(in: partials.number, try partialName(id), path: "\(partials.path)/\(id)")
        } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// The ids of all files of partials, in order: those without a record are left over from a run that was killed.
    package func partialIDs() throws(DiskError) -> [String] {
        guard let partialDirectory else { return [] }
        return try calls.names(in: partialDirectory.number, path: partialDirectory.path)
            .map { String(decoding: $0, as: UTF8.self) }
            .filter(Self.isPartialID)
            .sorted()
    }

    /// Starts a partial with the first `length` bytes of a file in its place, in the cheapest way that the file system
    /// knows: shared blocks, a copy in the kernel, or a plain copy.
    ///
    /// - Returns: The partial, and how many bytes were copied: fewer than `length` where the file is shorter.
    package func copyToPartial(_ path: RelativePath, id: String, length: Int64) throws(DiskError) -> (
        partial: PartialFile, copied: Int64
    ) {
        let source = try openForReading(path)
        let partial = try createPartial(id)
        do {
            return (partial, try copy(source.descriptor, to: partial.descriptor, length: length))
        } catch {
            try removePartial(id)
            throw error
        }
    }

    private func copy(_ source: Descriptor, to target: Descriptor, length: Int64) throws(DiskError) -> Int64 {
        do {
            try calls.clone(from: source.number, to: target.number, path: target.path)
            let size = Int64(try calls.status(target.number, path: target.path).st_size)
            if size > length { try calls.truncate(target.number, to: length, path: target.path) }
            return min(size, length)
        } catch {
            if error.meansDiskFull { throw error }
        }
        var copied: Int64 = 0
        do {
            while copied < length {
                let count = try calls.copyRange(
                    from: source.number, to: target.number, at: copied, count: Int(min(length - copied, 1 << 30)),
                    path: target.path)
                if count == 0 { break }
                copied += Int64(count)
            }
        } catch {
            if error.meansDiskFull { throw error }
        }
        // Some file systems copy nothing and call it a success, so whatever is missing is tried by hand.
        guard copied < length else { return copied }
        return try calls.copyByHand(source, to: target, from: copied, length: length)
    }

    private func openPartialDirectory() throws(DiskError) -> Descriptor {
        guard access != .readOnly, let partialDirectory else {
            throw DiskError(code: EROFS, operation: .open, path: "\(name(nil))/\(Self.stateDirectoryName)/partial")
        }
        return partialDirectory
    }

    private func partialName(_ id: String) throws(DiskError) -> [UInt8] {
        guard Self.isPartialID(id) else {
            throw DiskError(code: EINVAL, operation: .open, path: id, obstacle: "is no name of a partial")
        }
        return Array(id.utf8)
    }
}

extension DiskError {
    /// Whether another way to do the same would fail too.
    fileprivate var meansDiskFull: Bool { code == ENOSPC || code == EDQUOT || code == EIO }
}

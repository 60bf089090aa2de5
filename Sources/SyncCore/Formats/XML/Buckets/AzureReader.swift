extension XMLFormat {
    /// Listings of containers in Azure's blob storage.
    package static let azure = XMLFormat(
        name: "azure", rootDescription: "a listing of an Azure container (<EnumerationResults>)",
        accepts: { $0.name == "EnumerationResults" }, makeReader: { AzureReader(context: $0) })
}

/// Reads a page of a container's listing (https://learn.microsoft.com/rest/api/storageservices/list-blobs).
struct AzureReader: XMLContentReader {
    private let context: ManifestContext
    private var items: BucketItems?
    private var object = BucketItems.Object()
    /// Whether the open row is a directory, or an older or deleted state of a blob.
    private var isPassedOver = false
    private var nameIsEncoded = false
    private var nextMarker: [UInt8] = []
    private var isContainer = false

    /// The keys of a query that asks for a listing.
    private static let listingKeys: Set<String> = [
        "restype", "comp", "prefix", "delimiter", "marker", "maxresults", "include", "showonly", "timeout", "startfrom",
    ]

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into found: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, element.name) {
        case (1, _, _):
            let address = BucketAddress(try context.requireBase(), listingKeys: Self.listingKeys)
            items = BucketItems(address, context: context)
        case (2, _, "Blobs"): isContainer = true
        case (3, "Blobs", "Blob"), (3, "Blobs", "BlobPrefix"):
            object = BucketItems.Object(line: place.line)
            isPassedOver = false
        case (4, _, "Name"):
            nameIsEncoded = element[attribute: "Encoded"].map { asciiLowercase($0).elementsEqual("true".utf8) } ?? false
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into found: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, name) {
        case (4, "Blob", "Name"), (4, "BlobPrefix", "Name"):
            object.key = nameIsEncoded ? percentDecoded(text) : Array(text)
        case (4, "Blob", "Snapshot"): isPassedOver = true
        case (4, "Blob", "Deleted"): isPassedOver = isPassedOver || xmlTrimmed(text).elementsEqual("true".utf8)
        case (4, "Blob", "IsCurrentVersion"):
            isPassedOver = isPassedOver || xmlTrimmed(text).elementsEqual("false".utf8)
        case (5, "Properties", _): takeProperty(name, xmlTrimmed(text))
        case (3, "Blobs", "Blob"):
            if !isPassedOver, let item = items?.item(object) { found.append(item) }
        case (3, "Blobs", "BlobPrefix"):
            if let item = items?.item(prefix: object.key, line: object.line) { found.append(item) }
        case (2, _, "NextMarker"): nextMarker = Array(xmlTrimmed(text))
        default: break
        }
    }

    mutating func finish(into found: inout [ManifestItem]) throws(ManifestError) {
        guard isContainer else {
            throw ManifestError(
                "\(context.sourceName) lists containers and no blobs; name one, as in .../CONTAINER?restype=container&comp=list"
            )
        }
        guard !nextMarker.isEmpty, let address = items?.address else { return }
        guard address["marker"] != nextMarker, let url = address.listing(setting: [("marker", nextMarker)]) else {
            throw ManifestError(
                "\(context.sourceName) names its own page as the next one (marker=\(quoted(nextMarker))), so that the "
                    + "listing has no end")
        }
        found.append(.nextPage(url))
    }

    private mutating func takeProperty(_ name: String, _ text: ArraySlice<UInt8>) {
        switch name {
        case "Content-Length": object.size = decimalValue(text)
        case "Last-Modified": object.modified = listedDate(whole: text)?.date
        case "Content-MD5": object.digests = base64Decoded(text).flatMap { Digest(.md5, bytes: $0) }.map { [$0] } ?? []
        case "ResourceType": isPassedOver = isPassedOver || text.elementsEqual("directory".utf8)
        default: break
        }
    }
}

/// What a request by PROPFIND asks (RFC 4918 §9.1): what a collection holds, and of each member what dlsync has use for.
package enum CollectionQuery {
    /// The collection and its members, and no level more: many servers refuse to tell a whole tree (RFC 4918 §10.2).
    package static let fields = [
        HeaderField(name: "Depth", value: "1"),
        HeaderField(name: "Content-Type", value: "application/xml; charset=utf-8"),
    ]

    /// The properties by name, as not every server gives digests to those who ask for all.
    package static let body = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns"><D:prop><D:resourcetype/><D:getcontentlength/>\
        <D:getlastmodified/><oc:checksums/></D:prop></D:propfind>
        """
}

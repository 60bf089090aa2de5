internal import CCurl

/// A list of request header lines (curl_slist). libcurl does not copy it: it must live as long as a transfer uses it.
package struct HeaderList: ~Copyable {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    package init() {}

    deinit { curl_slist_free_all(list) }

    /// Adds a line as in `Name: value`.
    package mutating func append(_ line: String) throws(CurlError) {
        guard let longer = curl_slist_append(list, line) else {
            throw CurlError(code: CurlCode(CURLE_OUT_OF_MEMORY), detail: "a header list cannot grow")
        }
        list = longer
    }
}

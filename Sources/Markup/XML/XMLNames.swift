import CLibXML2

/// Makes names of what the parser gives: the same few again and again, at the same addresses of its dictionary.
struct XMLNames {
    private struct Key: Hashable {
        var name: UnsafePointer<xmlChar>
        var uri: UnsafePointer<xmlChar>?
        var isAttribute: Bool
    }

    private struct Name {
        var name: String
        var namespace: String
    }

    /// A document with more names than this has them made up; they are not kept then.
    private static let most = 4096

    private var known: [Key: Name] = [:]
    /// The namespace of the root; nil before it.
    private var rootNamespace: String?

    /// The name and the namespace of an element, the root's first.
    mutating func element(
        _ name: UnsafePointer<xmlChar>, _ uri: UnsafePointer<xmlChar>?
    ) -> (name: String, namespace: String) {
        let found = find(Key(name: name, uri: uri, isAttribute: false)) { local, namespace, root in
            namespace == root ? local : "{\(namespace)}\(local)"
        }
        return (found.name, found.namespace)
    }

    /// The name of an attribute.
    mutating func attribute(_ name: UnsafePointer<xmlChar>, _ uri: UnsafePointer<xmlChar>?) -> String {
        find(Key(name: name, uri: uri, isAttribute: true)) { local, namespace, _ in
            namespace.isEmpty ? local : "{\(namespace)}\(local)"
        }.name
    }

    private mutating func find(_ key: Key, _ make: (_ local: String, _ uri: String, _ root: String) -> String) -> Name {
        if let found = known[key] { return found }
        let namespace = key.uri.map { String(cString: $0) } ?? ""
        let root = rootNamespace ?? namespace
        rootNamespace = root
        let name = Name(name: make(String(cString: key.name), namespace, root), namespace: namespace)
        if known.count < Self.most { known[key] = name }
        return name
    }
}

/// The services of a THREDDS catalog: by which address a dataset can be had.
struct ThreddsServices {
    /// How an address is made of a dataset's path.
    struct Access {
        var base: [UInt8]
        var suffix: [UInt8]
    }

    private struct Service {
        var type: [UInt8]
        var access: Access
        var children: [Int] = []
    }

    /// A catalog with more services than this has them made up.
    private static let most = 4096

    private var services: [Service] = []
    private var byName: [[UInt8]: Int] = [:]
    /// The services that are open, from the outermost.
    private var open: [Int] = []

    /// A service starts, within those that are open.
    mutating func start(_ element: XMLElement) {
        let index = services.count
        guard index < Self.most else { return open.append(open.last ?? 0) }
        let access = Access(base: element[attribute: "base"] ?? [], suffix: element[attribute: "suffix"] ?? [])
        services.append(Service(type: asciiLowercase(element[attribute: "serviceType"] ?? []), access: access))
        if let parent = open.last { services[parent].children.append(index) }
        // The name of a service within a compound one may be that of another outside; the first stands.
        if let name = element[attribute: "name"], byName[name] == nil { byName[name] = index }
        open.append(index)
    }

    /// The innermost service ends.
    mutating func end() { _ = open.popLast() }

    /// The plain HTTP access of a service or, where it is compound, of one within it; nil where there is none.
    func httpAccess(named name: [UInt8]) -> Access? { byName[name].flatMap { httpAccess($0) } }

    private func httpAccess(_ index: Int) -> Access? {
        // Children have greater numbers than their parents, so this ends.
        let service = services[index]
        if ["httpserver", "http"].contains(where: { service.type.elementsEqual($0.utf8) }) { return service.access }
        guard service.type.elementsEqual("compound".utf8) else { return nil }
        for child in service.children {
            if let access = httpAccess(child) { return access }
        }
        return nil
    }
}

/// Which statuses pass by themselves and which do not, where the user knows better than the default
/// (``Failure/isTransient``): a list as in `404,!500`.
public struct StatusClasses: Hashable, Sendable {
    /// Statuses that pass by themselves.
    public var passing: Set<Int>
    /// Statuses that do not.
    public var lasting: Set<Int>

    /// The classes of some statuses; of the others the default holds.
    public init(passing: Set<Int> = [], lasting: Set<Int> = []) {
        self.passing = passing
        self.lasting = lasting
    }

    /// Reads a list of statuses from 400 to 599, separated by commas; one with `!` before it does not pass.
    public init?(_ text: String) {
        self.init()
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isLasting = item.hasPrefix("!")
            guard let status = Int(isLasting ? item.dropFirst() : item), (400...599).contains(status) else {
                return nil
            }
            if isLasting { lasting.insert(status) } else { passing.insert(status) }
        }
        guard passing.isDisjoint(with: lasting) else { return nil }
    }

    /// What is said of a failure; nil where nothing is.
    func mayPass(_ failure: Failure) -> Bool? {
        let statuses: [Int] =
            switch failure.code {
            case .status(let status): [status]
            case .missing: [404, 410]
            case .denied: [401, 407]
            default: []
            }
        if statuses.contains(where: lasting.contains) { return false }
        return statuses.contains(where: passing.contains) ? true : nil
    }
}

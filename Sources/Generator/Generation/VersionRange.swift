/// Something generated that successive versions share.
protocol VersionRange {
    /// The index of the version that declares it.
    var first: Int { get }
    /// The index of the last version that uses it.
    var last: Int { get }
}

extension VersionRange {
    var versions: ClosedRange<Int> { first...last }
}

extension Array where Element: VersionRange {
    /// Returns the element that the version at `index` uses; nil if there is none. The elements are in the order of versions.
    func element(at index: Int) -> Element? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].last < index { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].first <= index ? self[low] : nil
    }
}

extension Array {
    /// Replaces the first element with the same `name`, or appends the element if there is none.
    package mutating func put<Name: Equatable>(_ element: Element, by name: KeyPath<Element, Name>) {
        if let index = firstIndex(where: { $0[keyPath: name] == element[keyPath: name] }) {
            self[index] = element
        } else {
            append(element)
        }
    }

    /// Returns the array without the elements at the positions `removing`, and with the elements in `adding` at their
    /// positions in the result.
    package func changed(removing: [Int], adding: [Int: Element]) -> [Element] {
        var result = self
        for position in removing.sorted(by: >) where indices.contains(position) { result.remove(at: position) }
        for (position, element) in adding.sorted(by: { $0.key < $1.key }) {
            result.insert(element, at: Swift.min(position, result.count))
        }
        return result
    }
}

/// The difference between two versions of a list. `changed(removing:adding:)` applies it.
package struct ListChange<Element: Hashable> {
    /// The positions of the removed elements in the old list, ascending.
    package let removed: [Int]
    /// The new elements with their positions in the new list, ascending.
    package let added: [(position: Int, element: Element)]

    /// Creates the change from `old` to `new`.
    package init(from old: [Element], to new: [Element]) {
        var removed: [Int] = []
        var added: [(Int, Element)] = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let position, _, _): removed.append(position)
            case .insert(let position, let element, _): added.append((position, element))
            }
        }
        self.removed = removed.sorted()
        self.added = added.sorted { $0.0 < $1.0 }
    }

    /// The number of elements that are removed or added.
    package var count: Int { removed.count + added.count }
}

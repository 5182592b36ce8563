extension Sequence<String> {
    /// Returns the name with the smallest edit distance to `name`; nil if the distance is more than a third of its
    /// length.
    package func nearest(to name: String) -> String? { allNearest(to: name).first }

    /// Returns all names with the smallest edit distance, sorted; none if it is more than a third of the length of `name`.
    func allNearest(to name: String) -> [String] {
        let limit = Swift.max(1, name.count / 3)
        // The distance is at least the difference of the lengths.
        let distances = filter { abs($0.count - name.count) <= limit }.map {
            ($0, editDistance($0.lowercased(), name.lowercased()))
        }
        guard let least = distances.map(\.1).min(), least <= limit else { return [] }
        return distances.filter { $0.1 == least }.map(\.0).sorted()
    }
}

/// Returns the edit distance: the smallest number of letters to insert, delete, replace or swap with a neighbor.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count {
        for column in 0...right.count {
            if row == 0 || column == 0 {
                rows[row][column] = row + column
                continue
            }
            let isEqual = left[row - 1] == right[column - 1]
            var least = rows[row - 1][column - 1] + (isEqual ? 0 : 1)
            least = min(least, rows[row - 1][column] + 1, rows[row][column - 1] + 1)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                least = min(least, rows[row - 2][column - 2] + 1)
            }
            rows[row][column] = least
        }
    }
    return rows[left.count][right.count]
}

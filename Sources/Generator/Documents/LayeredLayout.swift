/// The positions of boxes and lines in a diagram that is read from left to right.
///
/// The boxes are in layers, one column each (Sugiyama's method): a box is to the right of the boxes that its lines come
/// from, lines cross as rarely as a few sweeps can achieve, and a line that spans several layers passes between their
/// boxes. The result depends only on the input.
struct LayeredLayout: Sendable {
    /// The size of a box.
    struct Box: Hashable, Sendable {
        /// The width.
        var width: Int
        /// The height.
        var height: Int
    }

    /// A line from one box to another, by their indexes. Where no cycle prevents it, `from` is to the left of `to`.
    struct Line: Hashable, Sendable {
        /// The index of the box on the left.
        var from: Int
        /// The index of the box on the right.
        var to: Int
    }

    /// A point. The origin is the upper left corner of the diagram.
    struct Point: Hashable, Sendable {
        /// The distance from the left.
        var x: Int
        /// The distance from the top.
        var y: Int
    }

    /// The distances between boxes.
    enum Gap {
        /// The horizontal distance between two layers.
        static let layers = 96
        /// The vertical distance between two boxes.
        static let boxes = 28
        /// The vertical distance between a box and a line that passes it.
        static let lines = 14
        /// The distance between unconnected parts of the diagram.
        static let parts = 64
    }

    /// The upper left corner of each box.
    private(set) var corners: [Point]
    /// The points between the ends of each line, from `from` to `to`. Two points for each layer that the line crosses.
    private(set) var bends: [[Point]]
    /// The size of the diagram.
    private(set) var size = Box(width: 0, height: 0)

    /// Creates the layout of `boxes` and the `lines` between them.
    init(_ boxes: [Box], _ lines: [Line]) {
        corners = boxes.map { _ in Point(x: 0, y: 0) }
        bends = lines.map { _ in [] }
        let parts = Self.parts(count: boxes.count, lines).map { LayeredPart($0.boxes, of: boxes, $0.lines, of: lines) }
        for (part, origin) in zip(parts, packed(parts.map(\.size))) {
            for (box, corner) in part.corners { corners[box] = corner.moved(by: origin) }
            for (line, points) in part.bends { bends[line] = points.map { $0.moved(by: origin) } }
        }
    }

    /// Returns the connected parts of the diagram, as the indexes of their boxes and lines. They are ordered by their
    /// first boxes.
    private static func parts(count: Int, _ lines: [Line]) -> [(boxes: [Int], lines: [Int])] {
        var neighbours = [[Int]](repeating: [], count: count)
        for line in lines {
            neighbours[line.from].append(line.to)
            neighbours[line.to].append(line.from)
        }
        var partOf = [Int?](repeating: nil, count: count)
        var parts: [(boxes: [Int], lines: [Int])] = []
        for start in 0..<count where partOf[start] == nil {
            var pending = [start]
            partOf[start] = parts.count
            var boxes: [Int] = []
            while let box = pending.popLast() {
                boxes.append(box)
                for next in neighbours[box] where partOf[next] == nil {
                    partOf[next] = parts.count
                    pending.append(next)
                }
            }
            parts.append((boxes.sorted(), []))
        }
        for (index, line) in lines.enumerated() {
            if let part = partOf[line.from] { parts[part].lines.append(index) }
        }
        return parts
    }

    /// Returns the upper left corners of the parts with these sizes, and sets the size of the diagram.
    ///
    /// Each part, tallest first, is placed as high as possible below the parts before it, so that the diagram is about as
    /// wide as a screen.
    private mutating func packed(_ sizes: [Box]) -> [Point] {
        let area = sizes.reduce(0.0) { $0 + Double($1.width + Gap.parts) * Double($1.height + Gap.parts) }
        let limit = max(sizes.map(\.width).max() ?? 0, Int((area * LayeredPart.aspect).squareRoot())) + Gap.parts
        // The free space below the parts, as steps from left to right. A step ends where the next one begins.
        var steps = [Point(x: 0, y: 0), Point(x: limit, y: .max)]
        var origins = sizes.map { _ in Point(x: 0, y: 0) }
        for part in sizes.indices.sorted(by: { (-sizes[$0].height, $0) < (-sizes[$1].height, $1) }) {
            let width = sizes[part].width + Gap.parts
            var best = Point(x: 0, y: .max)
            for step in steps where step.x + width <= limit {
                let below = steps.enumerated().filter { index, other in
                    other.x < step.x + width && (index + 1 == steps.count || steps[index + 1].x > step.x)
                }
                let y = below.map(\.element.y).max() ?? 0
                if y < best.y { best = Point(x: step.x, y: y) }
            }
            origins[part] = best
            let end = best.x + width
            let heightBehind = steps.last { $0.x <= end }?.y ?? 0
            steps.removeAll { $0.x >= best.x && $0.x <= end }
            steps += [Point(x: best.x, y: best.y + sizes[part].height + Gap.parts), Point(x: end, y: heightBehind)]
            steps.sort { $0.x < $1.x }
            size.width = max(size.width, best.x + sizes[part].width)
            size.height = max(size.height, best.y + sizes[part].height)
        }
        return origins
    }
}

extension LayeredLayout.Point {
    func moved(by other: Self) -> Self { Self(x: x + other.x, y: y + other.y) }
}

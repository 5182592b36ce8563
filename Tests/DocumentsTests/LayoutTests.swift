import Testing

@testable import Documents

/// The layered layout of random diagrams and of small ones.
@Suite struct LayoutTests {
    typealias Box = LayeredLayout.Box
    typealias Line = LayeredLayout.Line

    /// A generator of random numbers with a seed, so that a failure can be repeated.
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    static func diagram(_ seed: UInt64) -> (boxes: [Box], lines: [Line]) {
        var random = Random(state: seed)
        let count = Int.random(in: 1...60, using: &random)
        let boxes = (0..<count).map { _ in
            Box(width: .random(in: 100...300, using: &random), height: .random(in: 40...500, using: &random))
        }
        let lines = (0..<Int.random(in: 0...(count * 2), using: &random)).map { _ in
            Line(from: .random(in: 0..<count, using: &random), to: .random(in: 0..<count, using: &random))
        }
        return (boxes, lines)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>) func `no two boxes overlap, and all are inside the diagram`(
        seed: UInt64
    ) {
        let (boxes, lines) = Self.diagram(seed)
        let layout = LayeredLayout(boxes, lines)
        for (index, box) in boxes.enumerated() {
            let corner = layout.corners[index]
            #expect(corner.x >= 0 && corner.y >= 0)
            #expect(corner.x + box.width <= layout.size.width && corner.y + box.height <= layout.size.height)
            for other in index + 1..<max(boxes.count, index + 1) {
                let otherCorner = layout.corners[other]
                let isBeside =
                    corner.x + box.width <= otherCorner.x || otherCorner.x + boxes[other].width <= corner.x
                let isAbove = corner.y + box.height <= otherCorner.y || otherCorner.y + boxes[other].height <= corner.y
                #expect(isBeside || isAbove, "boxes \(index) and \(other)")
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>) func `no line passes through a box`(seed: UInt64) {
        let (boxes, lines) = Self.diagram(seed)
        let layout = LayeredLayout(boxes, lines)
        for bends in layout.bends {
            for point in bends {
                for (index, box) in boxes.enumerated() {
                    let corner = layout.corners[index]
                    let isInside =
                        point.x > corner.x && point.x < corner.x + box.width && point.y > corner.y
                        && point.y < corner.y + box.height
                    #expect(!isInside, "box \(index)")
                }
            }
        }
    }

    @Test func `the same input gives the same layout`() {
        let (boxes, lines) = Self.diagram(7)
        let (first, second) = (LayeredLayout(boxes, lines), LayeredLayout(boxes, lines))
        #expect(first.corners == second.corners)
        #expect(first.bends == second.bends)
    }

    @Test func `a line leads to the right, also where a cycle is closed`() {
        let boxes = [Box](repeating: Box(width: 100, height: 50), count: 4)
        let lines = [Line(from: 0, to: 1), Line(from: 1, to: 2), Line(from: 2, to: 3), Line(from: 3, to: 0)]
        let layout = LayeredLayout(boxes, lines)
        #expect(layout.corners[0].x < layout.corners[1].x)
        #expect(layout.corners[1].x < layout.corners[2].x)
        #expect(layout.corners[2].x < layout.corners[3].x)
        // The line back to the first box passes two layers, from right to left.
        #expect(layout.bends[3].count == 4)
        #expect(layout.bends[3].map(\.x) == layout.bends[3].map(\.x).sorted(by: >))
    }

    @Test func `lines that need not cross do not cross`() {
        let boxes = [Box](repeating: Box(width: 100, height: 50), count: 6)
        let lines = [
            Line(from: 0, to: 5), Line(from: 1, to: 4), Line(from: 2, to: 3), Line(from: 0, to: 4),
            Line(from: 1, to: 3),
        ]
        let layout = LayeredLayout(boxes, lines)
        let heights = layout.corners.map(\.y)
        for first in lines {
            for second in lines where heights[first.from] < heights[second.from] {
                #expect(heights[first.to] <= heights[second.to])
            }
        }
    }

    @Test func `a line from a box to itself, and no boxes at all`() {
        #expect(LayeredLayout([], []).size == Box(width: 0, height: 0))
        let layout = LayeredLayout([Box(width: 100, height: 50)], [Line(from: 0, to: 0)])
        #expect(layout.size == Box(width: 100, height: 50))
        #expect(layout.bends == [[]])
    }
}

/// The layer of each box of a connected part: from left to right, in the direction of the lines.
struct Layering {
    /// The layer of each box. The first layer is 0.
    private(set) var layers: [Int]

    init(_ boxes: [LayeredLayout.Box], _ lines: [LayeredLayout.Line]) {
        layers = [Int](repeating: 0, count: boxes.count)
        let lines = Self.withoutCycles(count: boxes.count, lines)
        var incoming = [[Int]](repeating: [], count: boxes.count)
        var outgoing = incoming
        for line in lines {
            outgoing[line.from].append(line.to)
            incoming[line.to].append(line.from)
        }
        let heights = boxes.map { $0.height + LayeredLayout.Gap.boxes }
        let limit = Self.heightLimit(boxes, heights)
        var filled: [Int: Int] = [:]
        let order = Self.topologicalOrder(incoming, outgoing)
        // Each box is in the first layer behind its predecessors that has space left.
        for box in order {
            var layer = (incoming[box].map { layers[$0] }.max() ?? -1) + 1
            while filled[layer, default: 0] > 0, filled[layer, default: 0] + heights[box] > limit { layer += 1 }
            layers[box] = layer
            filled[layer, default: 0] += heights[box]
        }
        // A box without predecessors is moved next to its successors, so that its lines are short.
        for box in order.reversed() where incoming[box].isEmpty {
            guard let next = outgoing[box].map({ layers[$0] }).min(), next - 1 > layers[box] else { continue }
            for layer in stride(from: next - 1, to: layers[box], by: -1)
            where filled[layer, default: 0] + heights[box] <= limit {
                filled[layers[box], default: 0] -= heights[box]
                filled[layer, default: 0] += heights[box]
                layers[box] = layer
                break
            }
        }
        // Layers that became empty are removed.
        let used = Set(layers).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($0.element, $0.offset) })
        layers = layers.map { numbers[$0] ?? 0 }
    }

    /// Returns the height of a layer that makes the part about as wide as a screen.
    private static func heightLimit(_ boxes: [LayeredLayout.Box], _ heights: [Int]) -> Int {
        let total = Double(heights.reduce(0, +))
        let width = Double((boxes.map(\.width).max() ?? 0) + LayeredLayout.Gap.layers)
        let layers = max(1, (LayeredPart.aspect * total / width).squareRoot())
        return max(heights.max() ?? 0, Int(total / layers * 1.2))
    }

    /// Returns the lines, with those turned around that close a cycle. Lines from a box to itself are left out.
    private static func withoutCycles(count: Int, _ lines: [LayeredLayout.Line]) -> [LayeredLayout.Line] {
        enum State { case unseen, entered, left }
        var outgoing = [[Int]](repeating: [], count: count)
        var hasIncoming = [Bool](repeating: false, count: count)
        for (index, line) in lines.enumerated() where line.from != line.to {
            outgoing[line.from].append(index)
            hasIncoming[line.to] = true
        }
        var states = [State](repeating: .unseen, count: count)
        var turned: Set<Int> = []
        func visit(_ box: Int) {
            states[box] = .entered
            for index in outgoing[box] {
                switch states[lines[index].to] {
                case .unseen: visit(lines[index].to)
                case .entered: turned.insert(index)
                case .left: break
                }
            }
            states[box] = .left
        }
        // Starting at boxes without predecessors turns fewer lines around.
        for box in (0..<count).filter({ !hasIncoming[$0] }) + Array(0..<count) where states[box] == .unseen {
            visit(box)
        }
        return lines.enumerated().filter { $0.element.from != $0.element.to }.map { index, line in
            turned.contains(index) ? LayeredLayout.Line(from: line.to, to: line.from) : line
        }
    }

    /// Returns the boxes in an order in which each box comes after its predecessors, and otherwise close to them.
    private static func topologicalOrder(_ incoming: [[Int]], _ outgoing: [[Int]]) -> [Int] {
        var missing = incoming.map(\.count)
        var order = missing.indices.filter { missing[$0] == 0 }
        var next = 0
        while next < order.count {
            for box in outgoing[order[next]] {
                missing[box] -= 1
                if missing[box] == 0 { order.append(box) }
            }
            next += 1
        }
        return order
    }
}

/// The cells of each layer from top to bottom: the boxes, and the lines that pass between them.
struct LayerGrid {
    /// A place in a layer.
    struct Cell {
        /// The contents of a cell.
        enum Kind {
            case box(Int)
            /// The line with this index crosses the layer.
            case passing(Int)
        }

        let kind: Kind
        let layer: Int
        let width: Int
        let height: Int
        /// The cells in the layer on the left to which lines lead.
        fileprivate(set) var left: [Int] = []
        /// The cells in the layer on the right to which lines lead.
        fileprivate(set) var right: [Int] = []

        fileprivate var isPassing: Bool {
            if case .passing = kind { true } else { false }
        }
    }

    private(set) var cells: [Cell] = []
    /// The cells of each layer, from top to bottom.
    private(set) var layers: [[Int]]

    init(_ boxes: [LayeredLayout.Box], _ lines: [LayeredLayout.Line], layers layerOfBox: [Int]) {
        layers = [[Int]](repeating: [], count: (layerOfBox.max() ?? 0) + 1)
        for (box, size) in boxes.enumerated() {
            layers[layerOfBox[box]].append(cells.count)
            cells.append(Cell(kind: .box(box), layer: layerOfBox[box], width: size.width, height: size.height))
        }
        for (index, line) in lines.enumerated() where layerOfBox[line.from] != layerOfBox[line.to] {
            let isForward = layerOfBox[line.from] < layerOfBox[line.to]
            var (last, end) = isForward ? (line.from, line.to) : (line.to, line.from)
            while cells[last].layer + 1 < cells[end].layer {
                let cell = Cell(kind: .passing(index), layer: cells[last].layer + 1, width: 0, height: 0)
                layers[cell.layer].append(cells.count)
                cells.append(cell)
                connect(last, cells.count - 1)
                last = cells.count - 1
            }
            connect(last, end)
        }
    }

    private mutating func connect(_ left: Int, _ right: Int) {
        cells[left].right.append(right)
        cells[right].left.append(left)
    }

    // MARK: Order

    /// Orders the cells of each layer so that few lines cross: each cell is moved to the mean position of the cells that
    /// it is connected to, layer by layer, to the right and back again.
    mutating func reduceCrossings() {
        var best = layers
        var fewest = crossings()
        for sweep in 0..<12 where fewest > 0 {
            let isForward = sweep.isMultiple(of: 2)
            for layer in isForward ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed() {
                sort(layer, by: isForward ? \.left : \.right)
            }
            let count = crossings()
            if count < fewest { (best, fewest) = (layers, count) }
        }
        layers = best
    }

    private mutating func sort(_ layer: Int, by side: KeyPath<Cell, [Int]>) {
        let positions = positions()
        let means = layers[layer].map { cell -> Double in
            let neighbours = cells[cell][keyPath: side]
            if neighbours.isEmpty { return Double(positions[cell]) }
            return Double(neighbours.reduce(0) { $0 + positions[$1] }) / Double(neighbours.count)
        }
        let order = layers[layer].indices.sorted { (means[$0], $0) < (means[$1], $1) }
        layers[layer] = order.map { layers[layer][$0] }
    }

    /// Returns the position of each cell in its layer.
    private func positions() -> [Int] {
        var positions = [Int](repeating: 0, count: cells.count)
        for layer in layers {
            for (position, cell) in layer.enumerated() { positions[cell] = position }
        }
        return positions
    }

    /// Returns the number of crossings between all neighbouring layers.
    func crossings() -> Int {
        let positions = positions()
        var count = 0
        for layer in layers {
            // Two lines cross if their ends have opposite orders. The lines are passed in the order of their left ends.
            var ends: [Int] = []
            for cell in layer {
                for end in cells[cell].right.map({ positions[$0] }).sorted() {
                    let index = Self.insertion(of: end, in: ends)
                    count += ends.count - index
                    ends.insert(end, at: index)
                }
            }
        }
        return count
    }

    /// Returns the index behind the last element of a sorted array that is not greater than `value`.
    private static func insertion(of value: Int, in sorted: [Int]) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] <= value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Positions

    /// Returns the vertical center of each cell. A cell is as close to the cells that it is connected to as the order of
    /// its layer allows.
    func centers() -> [Double] {
        var centers = [Double](repeating: 0, count: cells.count)
        for layer in layers { place(layer, wanted: layer.map { _ in 0 }, &centers) }
        for sweep in 0..<8 {
            let isForward = sweep.isMultiple(of: 2)
            let isLast = sweep > 5
            for layer in isForward ? layers : layers.reversed() {
                let wanted = layer.map { cell -> Double in
                    let content = cells[cell]
                    let neighbours = isLast ? content.left + content.right : isForward ? content.left : content.right
                    if neighbours.isEmpty { return centers[cell] }
                    return neighbours.reduce(0) { $0 + centers[$1] } / Double(neighbours.count)
                }
                place(layer, wanted: wanted, &centers)
            }
        }
        return centers
    }

    /// Places the cells of a layer as close to the wanted centers as their order and their heights allow.
    ///
    /// This is an isotonic regression: cells that would overlap form a block, which is placed at the mean of the places
    /// that its cells want.
    private func place(_ layer: [Int], wanted: [Double], _ centers: inout [Double]) {
        struct Block {
            var first: Int
            var sum: Double
            var weight: Double
            var mean: Double { sum / weight }
        }
        var offsets: [Double] = []
        var blocks: [Block] = []
        for (position, cell) in layer.enumerated() {
            offsets.append((offsets.last ?? 0) + (position == 0 ? 0 : distance(layer[position - 1], cell)))
            // Lines that pass are kept straight first.
            let weight = cells[cell].isPassing ? 4.0 : 1.0
            var block = Block(first: position, sum: (wanted[position] - offsets[position]) * weight, weight: weight)
            while let last = blocks.last, last.mean >= block.mean {
                blocks.removeLast()
                block = Block(first: last.first, sum: last.sum + block.sum, weight: last.weight + block.weight)
            }
            blocks.append(block)
        }
        for (index, block) in blocks.enumerated() {
            let end = index + 1 < blocks.count ? blocks[index + 1].first : layer.count
            for position in block.first..<end { centers[layer[position]] = block.mean + offsets[position] }
        }
    }

    /// Returns the smallest distance between the centers of two neighbouring cells of a layer.
    private func distance(_ upper: Int, _ lower: Int) -> Double {
        let gap = cells[upper].isPassing || cells[lower].isPassing ? LayeredLayout.Gap.lines : LayeredLayout.Gap.boxes
        return Double(cells[upper].height + cells[lower].height) / 2 + Double(gap)
    }
}

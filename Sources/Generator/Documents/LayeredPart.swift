/// The layout of a connected part of a diagram.
struct LayeredPart {
    typealias Point = LayeredLayout.Point

    /// The upper left corner of each box, by its index in the diagram.
    private(set) var corners: [Int: Point] = [:]
    /// The points between the ends of each line, by its index in the diagram.
    private(set) var bends: [Int: [Point]] = [:]
    /// The size of the part.
    private(set) var size = LayeredLayout.Box(width: 0, height: 0)

    /// The ratio of the width of a diagram to its height that the layout aims at.
    static let aspect = 1.6

    /// Creates the layout of the boxes and lines with these indexes.
    init(
        _ boxIndexes: [Int], of allBoxes: [LayeredLayout.Box], _ lineIndexes: [Int], of allLines: [LayeredLayout.Line]
    ) {
        let boxes = boxIndexes.map { allBoxes[$0] }
        let cells = Dictionary(uniqueKeysWithValues: boxIndexes.enumerated().map { ($0.element, $0.offset) })
        let lines = lineIndexes.map { index in
            LayeredLayout.Line(from: cells[allLines[index].from] ?? 0, to: cells[allLines[index].to] ?? 0)
        }
        let layering = Layering(boxes, lines)
        var grid = LayerGrid(boxes, lines, layers: layering.layers)
        grid.reduceCrossings()
        let centers = grid.centers()

        var lefts: [Int] = []
        for layer in grid.layers {
            lefts.append(size.width + (lefts.isEmpty ? 0 : LayeredLayout.Gap.layers))
            let width = layer.map { grid.cells[$0].width }.max() ?? 0
            size.width = (lefts.last ?? 0) + width
        }
        func width(_ layer: Int) -> Int { grid.layers[layer].map { grid.cells[$0].width }.max() ?? 0 }
        let tops = grid.cells.indices.map { Int(centers[$0].rounded()) - grid.cells[$0].height / 2 }
        let top = tops.min() ?? 0
        for (cell, content) in grid.cells.enumerated() {
            let (left, y) = (lefts[content.layer], tops[cell] - top)
            size.height = max(size.height, y + content.height)
            switch content.kind {
            case .box(let box): corners[boxIndexes[box]] = Point(x: left, y: y)
            case .passing(let line):
                let middle = y + content.height / 2
                let points = [Point(x: left, y: middle), Point(x: left + width(content.layer), y: middle)]
                bends[lineIndexes[line], default: []] += points
            }
        }
        // The cells of a line are in the order of the layers. A line that a cycle turns around goes from right to left.
        for (lineIndex, line) in lines.enumerated() where layering.layers[line.from] > layering.layers[line.to] {
            bends[lineIndexes[lineIndex]]?.reverse()
        }
    }
}

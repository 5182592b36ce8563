import Foundation
import SwiftData

@Model class Habit {
    #Unique<Habit>([\.name])
    var name: String = ""
    var color: String = "blue"
    var target: Double = 1.5
    @Relationship(deleteRule: .cascade) var days: [Day] = []
    @Transient var isSelected = false
    init() {}
}

@Model class Day {
    var date: Date = Date.now
    var count: Int = 0
    var habit: Habit?
    var note: String?
    init() {}
}

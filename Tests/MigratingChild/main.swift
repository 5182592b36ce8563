import ChainSchema
import Foundation
import Strata

// Opens the store at the path that it is given, as an app does, and says that it has.
var options = StoreOptions()
options.busyTimeout = 60
let store = try Store(at: URL(fileURLWithPath: CommandLine.arguments[1]), schema: Chain.self, options: options)
print("open")

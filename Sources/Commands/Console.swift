import Foundation

/// Where a command says what it did, and what is wrong.
public struct Console {
    /// Takes a line of what was done.
    var say: (String) -> Void
    /// Takes a line of what is wrong.
    var complain: (String) -> Void

    /// A console of these.
    public init(say: @escaping (String) -> Void, complain: @escaping (String) -> Void) {
        self.say = say
        self.complain = complain
    }

    /// Standard output and standard error.
    public static var standard: Console {
        Console(
            say: { print($0) },
            complain: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
    }
}

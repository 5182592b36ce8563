import Foundation

private let posix = Locale(identifier: "en_US_POSIX")

extension URL {
    /// Creates the URL with the text `text`; nil if the URL would not be stored as exactly this text, for example because
    /// Foundation writes `%C3%BC` for `ü`.
    package init?(stored text: String) {
        self.init(string: text)
        if !String.isSame(absoluteString, text) { return nil }
    }
}

extension Decimal {
    /// Creates the number with the digits `text`; nil if the number would not be stored as exactly this text.
    init?(stored text: String) {
        // Foundation ignores text after a number. Comparing the number's text ensures that all of `text` was read.
        guard let value = Decimal(string: text, locale: posix), !value.isNaN, value.description == text else {
            return nil
        }
        self = value
    }
}

extension String {
    /// Whether two texts have the same bytes, which is how SQLite compares them. Swift's `==` calls two forms of a character
    /// equal.
    @inlinable public static func isSame(_ left: String, _ right: String) -> Bool {
        let isSame = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
                return memcmp(first, second, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }
}

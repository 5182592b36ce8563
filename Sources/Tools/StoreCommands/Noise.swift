import Foundation

/// Replaces texts and data by noise of the same shape.
///
/// The noise is a function of the complete text and of a key that is chosen at random and never stored. So equal texts get
/// equal noise, and a known text does not tell any other. Different texts get different noise: texts with few letters by a
/// permutation, and long ones with overwhelming probability. That holds for texts that differ in more than the case of letters,
/// too, because the case stays.
struct Noise {
    private let key = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))

    /// From this number of digits on, noise depends on the text by a hash of 64 bits.
    private static let longest = 32

    /// The schemes of URLs, which tell nothing about a customer.
    private static let schemes: Set = [
        "http", "https", "file", "mailto", "tel", "sms", "data", "ftp", "ftps", "sftp", "ws", "wss", "about",
    ]

    // MARK: Texts

    /// Returns a text with other letters and digits in the same alphabets. Everything else stays.
    func text(_ text: String) -> String {
        replaced(text.unicodeScalars.map { Letter($0) })
    }

    /// Returns a URL with the same scheme and other letters and digits.
    func url(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var letters = scalars.map { Letter($0) }
        if let colon = scalars.firstIndex(of: ":"), Self.schemes.contains(text.prefix { $0 != ":" }.lowercased()) {
            for index in 0..<colon { letters[index] = Letter(fixed: scalars[index]) }
        }
        for index in scalars.indices where scalars[index] == "%" {
            for digit in scalars[(index + 1)...].prefix(2).indices {
                letters[digit] = Letter(hexadecimal: scalars[digit])
            }
        }
        let result = replaced(letters)
        if URL(stored: result) != nil { return result }
        let (one, other) = (
            hash { $0.combine(text) },
            hash {
                $0.combine(1); $0.combine(text)
            }
        )
        return "https://example.com/\(String(one, radix: 36))\(String(other, radix: 36))"
    }

    private func replaced(_ letters: [Letter]) -> String {
        // SQLite's RTRIM ignores spaces at the end.
        let end = (letters.lastIndex { $0.letter != " " } ?? -1) + 1
        let tweak = hash { hasher in
            for letter in letters[..<end] {
                hasher.combine(letter.alphabet.count)
                hasher.combine(letter.alphabet.count == 0 ? letter.letter : letter.alphabet[0])
            }
        }
        let indexes = letters.indices.filter { letters[$0].alphabet.count > 0 }
        let digits = permuted(
            indexes.map { letters[$0].digit }, indexes.map { letters[$0].alphabet.count }, tweak)
        var scalars = letters.map(\.letter)
        for (index, digit) in zip(indexes, digits) { scalars[index] = letters[index].replaced(by: digit) }
        return String(String.UnicodeScalarView(scalars))
    }

    // MARK: Data

    /// Returns data of the same length.
    func data(_ data: Data) -> Data {
        guard data.count <= Self.longest else {
            var stream = Stream(
                state: hash { hasher in
                    hasher.combine(data.count)
                    data.withUnsafeBytes { hasher.combine(bytes: $0) }
                })
            return Data((0..<data.count).map { _ in UInt8(stream.next(below: 256)) })
        }
        return Data(permuted(data.map(Int.init), Array(repeating: 256, count: data.count), 0).map { UInt8($0) })
    }

    // MARK: Digits

    /// Returns other digits, different ones for different digits.
    ///
    /// - Parameters:
    ///   - digits: The digits.
    ///   - radices: The number of digits that each place can have.
    ///   - tweak: A number that chooses the permutation.
    private func permuted(_ digits: [Int], _ radices: [Int], _ tweak: UInt64) -> [Int] {
        if digits.count == 1 { return [permuted(digits[0], radices[0], tweak)] }
        if digits.count > Self.longest {
            var stream = Stream(
                state: hash {
                    $0.combine(tweak); $0.combine(digits)
                })
            return radices.map { stream.next(below: $0) }
        }
        return exchanged(digits, radices, tweak)
    }

    /// A Feistel network: each half changes by a function of the other one, again and again.
    private func exchanged(_ digits: [Int], _ radices: [Int], _ tweak: UInt64) -> [Int] {
        var digits = digits
        let middle = digits.count / 2
        for round in 0..<10 {
            let halves = (digits.indices.prefix(middle), digits.indices.dropFirst(middle))
            let (source, target) = round.isMultiple(of: 2) ? halves : (halves.1, halves.0)
            var stream = Stream(
                state: hash { hasher in
                    hasher.combine(tweak)
                    hasher.combine(round)
                    for index in source { hasher.combine(digits[index]) }
                })
            for index in target {
                digits[index] = (digits[index] + stream.next(below: radices[index])) % radices[index]
            }
        }
        return digits
    }

    /// Returns another digit instead of a single one.
    private func permuted(_ digit: Int, _ radix: Int, _ tweak: UInt64) -> Int {
        if radix > 256 {
            // Two digits have more values than the one, so a pair that is no digit is exchanged again.
            var pair = [digit / 256, digit % 256]
            repeat { pair = exchanged(pair, [(radix + 255) / 256, 256], tweak) } while pair[0] * 256 + pair[1] >= radix
            return pair[0] * 256 + pair[1]
        }
        func rank(_ digit: Int) -> UInt64 {
            hash {
                $0.combine(tweak); $0.combine(digit)
            }
        }
        let own = rank(digit)
        return (0..<radix).count { (rank($0), $0) < (own, digit) }
    }

    /// Returns a number that depends on the key and on what `body` combines.
    private func hash(_ body: (inout Hasher) -> Void) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key.0)
        body(&hasher)
        hasher.combine(key.1)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Numbers that follow from a first one (SplitMix64).
    private struct Stream {
        var state: UInt64

        mutating func next(below count: Int) -> Int {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return Int(((value ^ (value >> 31)) >> 33) % UInt64(count))
        }
    }
}

/// A Unicode scalar as a digit of its alphabet.
private struct Letter {
    let letter: Unicode.Scalar
    /// The letters that may replace it, in lowercase; empty if it stays.
    let alphabet: Alphabet
    let digit: Int
    private let isUppercase: Bool

    init(fixed letter: Unicode.Scalar) {
        self.init(letter, in: .none, orFixed: letter)
    }

    init(_ letter: Unicode.Scalar) {
        let base = Alphabet.lowercase(letter) ?? letter
        self.init(letter, in: Alphabet(of: base), orFixed: base)
    }

    /// A digit of a byte in a URL.
    init(hexadecimal letter: Unicode.Scalar) {
        self.init(letter, in: .hexadecimal, orFixed: Alphabet.lowercase(letter) ?? letter)
    }

    private init(_ letter: Unicode.Scalar, in alphabet: Alphabet, orFixed base: Unicode.Scalar) {
        let digit = alphabet.digit(of: base)
        (self.letter, self.alphabet, self.digit) = (letter, digit == nil ? .none : alphabet, digit ?? 0)
        isUppercase = base != letter
    }

    func replaced(by digit: Int) -> Unicode.Scalar {
        let lower = alphabet[digit]
        let upper = lower.properties.uppercaseMapping.unicodeScalars
        return isUppercase && upper.count == 1 ? upper.first ?? lower : lower
    }
}

/// Letters that replace each other.
private enum Alphabet {
    /// Letters that follow each other.
    case range(UInt32, Int)
    case list([Unicode.Scalar])

    static let none = list([])
    static let hexadecimal = list(Array("0123456789abcdef".unicodeScalars))
    private static let latin = range(0x61, 26)

    /// The letters that may replace a letter that is not uppercase. Each of them has the same alphabet.
    init(of letter: Unicode.Scalar) {
        switch letter.value {
        case 0x61...0x7a: self = Self.latin
        case 0x30...0x39: self = .range(0x30, 10)
        case ...0x7f: self = .none
        // Chinese and Korean.
        case 0x4e00...0x9fff: self = .range(0x4e00, 0x5200)
        case 0xac00...0xd7a3: self = .range(0xac00, 11_172)
        default:
            if let value = Self.value(of: letter) {
                self = .range(letter.value - value, 10)
            } else {
                // A part of another script.
                let first = letter.value & ~0x1f
                self = .list((first..<first + 0x20).compactMap(Unicode.Scalar.init).filter(Self.isLowercaseOrUncased))
            }
        }
    }

    var count: Int {
        switch self {
        case .range(_, let count): count
        case .list(let letters): letters.count
        }
    }

    subscript(digit: Int) -> Unicode.Scalar {
        switch self {
        case .range(let first, _): Unicode.Scalar(first + UInt32(digit)) ?? "?"
        case .list(let letters): letters[digit]
        }
    }

    func digit(of letter: Unicode.Scalar) -> Int? {
        switch self {
        case .range(let first, let count):
            letter.value >= first && letter.value < first + UInt32(count) ? Int(letter.value - first) : nil
        case .list(let letters): letters.firstIndex(of: letter)
        }
    }

    /// The lowercase form of an uppercase letter; nil for anything else.
    static func lowercase(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
        if letter.isASCII { return (0x41...0x5a).contains(letter.value) ? Unicode.Scalar(letter.value + 32) : nil }
        guard letter.properties.isUppercase else { return nil }
        let lower = letter.properties.lowercaseMapping.unicodeScalars
        guard lower.count == 1, let first = lower.first, first != letter,
            Array(first.properties.uppercaseMapping.unicodeScalars) == [letter]
        else { return nil }
        return first
    }

    private static func isLowercaseOrUncased(_ letter: Unicode.Scalar) -> Bool {
        letter.properties.isAlphabetic && value(of: letter) == nil && lowercase(letter) == nil
    }

    /// The value of a decimal digit of any script.
    private static func value(of letter: Unicode.Scalar) -> UInt32? {
        guard letter.properties.numericType == .decimal, let value = letter.properties.numericValue else { return nil }
        return UInt32(value)
    }
}

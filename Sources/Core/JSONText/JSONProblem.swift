/// A problem in a text that should be JSON. Each case is one cause.
package enum JSONProblem: Hashable, Sendable {
    case byteOrderMark
    case notUTF8
    case emptyFile
    case contentAfterEnd
    case unexpectedEnd
    case unexpectedCharacter(String, expected: String)
    case duplicateKey(String)
    case nestedTooDeep(Int)
    case controlCharacterInString
    case unterminatedString
    case unknownEscape
    case loneSurrogate
    case malformedNumber(String)
}

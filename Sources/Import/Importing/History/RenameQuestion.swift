import Descriptions
import SchemaModel
import SQLSchema

/// The question whether an element was renamed: a version removes it, and adds others.
package struct RenameQuestion: Hashable, Sendable {
    /// An added element.
    package struct Candidate: Hashable, Sendable {
        package let name: String
        /// The type of a property; the number of properties of a table.
        package let kind: String
        /// How similar the elements are by name, type and position, from 0 to 1.
        package let similarity: Double
    }

    /// The name of the version in the source.
    package let version: String
    /// The name before the version: `user`, or `user.mail`.
    package let name: String
    package let kind: String
    /// The added elements, most similar first.
    package let candidates: [Candidate]
}

extension ModelImport {
    /// The questions that neither the source nor an answer decides, oldest first.
    package var questions: [RenameQuestion] {
        Lineages(of: rules.renames.filled(versions), rules: rules).questions
    }

    /// Adds the answers that a model keeps from earlier imports. Newer answers have precedence.
    package mutating func recallAnswers(of model: ImportedModel.Existing) throws {
        rules.renames = try Renames(rememberedIn: model.configuration).merging(rules.renames)
    }

    /// Answers a question.
    ///
    /// - Parameter newName: The new name of the element; nil if it was removed.
    package mutating func answer(_ question: RenameQuestion, with newName: String?) {
        rules.renames.add(question.name, newName, at: question.version)
    }

    /// All answers, as the text of a file for `--renames`.
    package var renamesText: String { rules.renames.json(versions.map(\.formerName)).file }
}

/// Compares the elements of two versions.
enum Similarity {
    /// Returns the similarity of two names, from 0 to 1: by their letters, or by their words.
    static func ofNames(_ one: String, _ other: String) -> Double {
        let (left, right) = (one.lowercased(), other.lowercased())
        let longest = max(left.count, right.count)
        guard longest > 0 else { return 0 }
        let letters = 1 - Double(editDistance(left, right)) / Double(longest)
        let (words, otherWords) = (self.words(one), self.words(other))
        let common = Double(words.intersection(otherWords).count)
        return max(letters, common / Double(max(1, min(words.count, otherWords.count))) * 0.8)
    }

    /// The words of `firstName` and `first_name`.
    private static func words(_ name: String) -> Set<String> {
        var words: [String] = [""]
        for letter in name {
            if !letter.isLetter && !letter.isNumber || letter.isUppercase { words.append("") }
            if letter.isLetter || letter.isNumber { words[words.count - 1] += letter.lowercased() }
        }
        return Set(words.filter { $0.count > 1 })
    }

    /// Returns the similarity of positions among as many elements.
    private static func ofIndexes(_ one: Int, _ other: Int, _ count: Int) -> Double {
        1 - Double(abs(one - other)) / Double(max(1, count))
    }

    static func of(_ old: ImportedProperty, at index: Int, _ new: ImportedProperty, at newIndex: Int, _ count: Int)
        -> Double
    {
        let type: Double =
            old.content == new.content ? (old.isNullable == new.isNullable ? 1 : 0.8) : old.kind == new.kind ? 0.5 : 0
        return 0.6 * ofNames(old.name, new.name) + 0.3 * type + 0.1 * ofIndexes(index, newIndex, count)
    }

    static func of(_ old: ImportedEntity, at index: Int, _ new: ImportedEntity, at newIndex: Int, _ count: Int)
        -> Double
    {
        let (names, others) = (Set(old.properties.map(\.name)), Set(new.properties.map(\.name)))
        let common = Double(names.intersection(others).count) / Double(max(1, max(names.count, others.count)))
        return 0.4 * ofNames(old.name, new.name) + 0.5 * common + 0.1 * ofIndexes(index, newIndex, count)
    }
}

extension ImportedProperty {
    /// The type, for display.
    var kind: String {
        switch content {
        case .attribute(.scalar(let type)): type.rawValue
        case .attribute(.array): "list"
        case .attribute: "enum"
        case .relationship(let relationship):
            (relationship.association == .toMany ? "to_many " : "to_one ") + relationship.target
        }
    }
}

extension ImportedEntity {
    /// The number of properties, for display.
    var kind: String { "\(properties.count) \(properties.count == 1 ? "property" : "properties")" }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// What may stand behind a name in a JSON object of the administration.
///
/// One description serves to check a value, to say what would have been right, and to write the README's tables.
enum MemberForm: Sendable {
    case text
    case texts
    case truth
    /// A whole number.
    case number(ClosedRange<Int>)
    /// A whole number, or an array of them.
    case numbers(ClosedRange<Int>)
    /// A number from 0 to 1.
    case share
    /// Milliseconds, a day at most, so that nothing waits for ever.
    case milliseconds
    /// One of some words; with a range also a whole number, or its digits.
    case word([String], or: ClosedRange<Int>? = nil)
    /// A regular expression.
    case pattern
    /// The method of a request, in letters of any case.
    case method
    /// The headers of an answer: texts and numbers by their names.
    case headers
    /// The name of a time zone, such as `Europe/Berlin`.
    case timeZone
    /// Objects of the administration: one, or an array of them.
    case objects([Member], needs: [String])
    case anything

    /// A name with what may stand behind it.
    struct Member: Sendable {
        var name: String
        var form: MemberForm
        /// Whether null stands for something; for others it is as if they were not there.
        var takesNull = false

        init(_ name: String, _ form: MemberForm, takesNull: Bool = false) {
            self.name = name
            self.form = form
            self.takesNull = takesNull
        }
    }

    /// The longest time that the administration takes for a pause or a delay: a day, in milliseconds.
    static let longestTime = 86_400_000
    /// The highest count that the administration takes where nothing else sets a bound.
    static let highestCount = 1_000_000_000
    static let count = MemberForm.number(0...highestCount)

    /// The whole numbers that are taken; nil for forms that take others, or none.
    var range: ClosedRange<Int>? {
        switch self {
        case .number(let range), .numbers(let range): range
        case .milliseconds: 0...Self.longestTime
        default: nil
        }
    }

    /// What is taken, as the end of a sentence that says what must be there.
    var description: String {
        switch self {
        case .text: "a text"
        case .texts: "an array of texts"
        case .truth: "true or false"
        case .number, .milliseconds: "a whole number\(Self.bounds(range))"
        case .numbers: "a whole number, or an array of them,\(Self.bounds(range))"
        case .share: "a number from 0 to 1"
        case .word(let words, let range):
            Self.list(words + (range.map { ["a whole number\(Self.bounds($0))"] } ?? []))
        case .pattern: "a regular expression"
        case .method: "one method, such as POST"
        case .headers: "an object of texts and numbers under names of headers"
        case .timeZone: "the name of a time zone, such as Europe/Berlin"
        case .objects: "an object, or an array of objects"
        case .anything: "anything"
        }
    }

    private static func bounds(_ range: ClosedRange<Int>?) -> String {
        guard let range, range != Int.min...Int.max else { return "" }
        return " from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func list(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or \(words[words.count - 1])"
    }

    /// A whole number within a range; nil for everything else.
    static func whole(_ value: JSONValue, _ range: ClosedRange<Int>) -> Int? {
        value.intValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The form of a member in a JSON object of the administration.
///
/// It is used to check a value, to describe the expected form in an error, and to write the tables of the articles.
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
    /// Milliseconds, at most a day, so that no request waits forever.
    case milliseconds
    /// One of several words; with a range also a whole number, or its digits.
    case word([String], or: ClosedRange<Int>? = nil)
    /// A regular expression.
    case pattern
    /// The method of a request, in letters of any case.
    case method
    /// The headers of a response: texts and numbers by name.
    case headers
    /// The name of a time zone, such as `Europe/Berlin`.
    case timeZone
    /// Objects of the administration: one, or an array of them.
    case objects([Member], needs: [String])
    case anything

    /// A member: its name and its form.
    struct Member: Sendable {
        var name: String
        var form: MemberForm
        /// Whether null has a meaning; for other members null means that they are missing.
        var takesNull = false

        init(_ name: String, _ form: MemberForm, takesNull: Bool = false) {
            self.name = name
            self.form = form
            self.takesNull = takesNull
        }
    }

    /// The maximum time of a pause or a delay: a day, in milliseconds.
    static let longestTime = 86_400_000
    /// The maximum of a count without a limit of its own.
    static let highestCount = 1_000_000_000
    static let count = MemberForm.number(0...highestCount)

    /// The allowed whole numbers; nil for other forms.
    var range: ClosedRange<Int>? {
        switch self {
        case .number(let range), .numbers(let range): range
        case .milliseconds: 0...Self.longestTime
        default: nil
        }
    }

    /// The expected form, as the end of an error message.
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

    /// Returns a whole number within a range; nil for any other value.
    static func whole(_ value: JSONValue, _ range: ClosedRange<Int>) -> Int? {
        value.intValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}

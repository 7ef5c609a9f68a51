// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The expectations of cases that this project deliberately replaces.
///
/// The file is an object. Its keys are IDs of cases, or `ID/N` for the operation N of a case on a store, counted from
/// 0. Its values are `{"expect", "rule", "reason"}`. A case with a deviation passes only if the result is that of the
/// deviation.
public struct ConformanceDeviations: Sendable {
    /// An expectation that replaces that of a case.
    public struct Entry: Sendable {
        /// The expected result.
        public var expectation: JSONValue
        /// The rule that requires this result, also in similar cases.
        public var rule: String
        /// The reason for the rule.
        public var reason: String
    }

    /// The entries by case, or by case and operation.
    public let entries: [String: Entry]

    /// No deviations: the expectations of all cases apply.
    public static let none = ConformanceDeviations(entries: [:])

    private init(entries: [String: Entry]) { self.entries = entries }

    /// Reads a list of deviations.
    ///
    /// - Parameter file: the name of the file in errors.
    /// - Throws: ``SoupError`` with `json` and the place if the list is not valid.
    public init(_ bytes: [UInt8], file: String) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw SoupError(
                .json, "not JSON: \(error.reason.rawValue)",
                place: SoupError.Place(file: file, offset: min(error.offset, bytes.count), in: bytes))
        }
        guard let members = json.objectValue?.members else {
            throw SoupError(
                .json, "deviations must be an object with one member for each case", place: SoupError.Place(file: file))
        }
        var entries: [String: Entry] = [:]
        for (id, value) in members {
            func text(_ key: String) throws -> String {
                guard let text = value[key]?.stringValue, !text.isEmpty else {
                    throw SoupError(
                        .json, "a deviation must have a string \"\(key)\"",
                        place: SoupError.Place(file: file, path: "\(id).\(key)"))
                }
                return text
            }
            guard let expectation = value["expect"] else {
                throw SoupError(
                    .json, "a deviation must have an expectation",
                    place: SoupError.Place(file: file, path: "\(id).expect"),
                    hint: "Write {\"expect\": …, \"rule\": \"…\", \"reason\": \"…\"}.")
            }
            entries[id] = Entry(expectation: expectation, rule: try text("rule"), reason: try text("reason"))
        }
        self.init(entries: entries)
    }

    /// Returns the expectation that replaces those of an operation; nil if there is no deviation.
    ///
    /// - Throws: ``SoupError`` if a deviation of a case with several operations does not name one of them.
    func expectation(for example: ConformanceCase, operation index: Int) throws -> JSONValue? {
        if let whole = entries[example.id] {
            guard example.operations.count == 1 else {
                throw SoupError(
                    .json, "the case has \(example.operations.count) operations, and its deviation names none of them",
                    place: SoupError.Place(path: example.id), hint: "Write \"\(example.id)/0\" for the first operation."
                )
            }
            return whole.expectation
        }
        return entries["\(example.id)/\(index)"]?.expectation
    }
}

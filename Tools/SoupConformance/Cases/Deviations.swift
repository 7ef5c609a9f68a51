// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Where this project does something else than a case says, and by which rule.
///
/// The file is an object: a case id, or `ID/N` for the operation N of a case on a store, counted from 0, leads to
/// `{"expect", "rule", "reason"}`. A case with a deviation passes when the deviation holds, and only then.
public struct Deviations: Sendable {
    /// One expectation that takes the place of a case's own.
    public struct Entry: Sendable {
        /// What must come.
        public var expectation: JSONValue
        /// The sentence that it follows; unseen cases of the kind are decided by it too.
        public var rule: String
        /// Why the project holds to that rule.
        public var reason: String
    }

    /// The entries by case, or by case and operation.
    public let entries: [String: Entry]

    /// No deviations: every case is taken by its word.
    public static let none = Deviations(entries: [:])

    private init(entries: [String: Entry]) { self.entries = entries }

    /// Reads a list of deviations.
    ///
    /// - Parameter file: what errors call it.
    /// - Throws: ``SoupError`` with `json`, naming the file and the place.
    public init(_ bytes: [UInt8], file: String) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw SoupError(
                .json, "not JSON: \(error.reason.rawValue)",
                place: Place(file: file, offset: min(error.offset, bytes.count), in: bytes))
        }
        guard let members = json.objectValue?.members else {
            throw SoupError(
                .json, "deviations must be an object with one member for each case", place: Place(file: file))
        }
        var entries: [String: Entry] = [:]
        for (id, value) in members {
            func text(_ key: String) throws -> String {
                guard let text = value[key]?.stringValue, !text.isEmpty else {
                    throw SoupError(
                        .json, "a deviation needs a text \"\(key)\"", place: Place(file: file, path: "\(id).\(key)"))
                }
                return text
            }
            guard let expectation = value["expect"] else {
                throw SoupError(
                    .json, "a deviation says what it expects", place: Place(file: file, path: "\(id).expect"),
                    hint: "Write {\"expect\": …, \"rule\": \"…\", \"reason\": \"…\"}.")
            }
            entries[id] = Entry(expectation: expectation, rule: try text("rule"), reason: try text("reason"))
        }
        self.init(entries: entries)
    }

    /// What stands in for the expectations of an operation; nil when the case's own count.
    ///
    /// - Throws: ``SoupError`` when a case of several operations is named without saying which.
    func expectation(for example: ConformanceCase, operation index: Int) throws -> JSONValue? {
        if let whole = entries[example.id] {
            guard example.operations.count == 1 else {
                throw SoupError(
                    .json, "the case has \(example.operations.count) operations, and its deviation names none of them",
                    place: Place(path: example.id), hint: "Write \"\(example.id)/0\" for the first.")
            }
            return whole.expectation
        }
        return entries["\(example.id)/\(index)"]?.expectation
    }
}

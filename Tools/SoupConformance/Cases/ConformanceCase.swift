// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A data case: operations and the expected results, as in the file.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The kind of a case, determined by its members.
    public enum Kind: Sendable, Hashable {
        /// Operations on an empty store, one after another: a case with `ops`.
        case store
        /// A query that is built, changed, checked or split into tokens: a case with such an `op`.
        case query
        /// A sync-down target that is created or that sends requests: a case with such an `op` and a `target`.
        case target
        /// A request to a local org and the expected response: a case with `req`.
        case exchange
        /// Any other case: a description that the runner does not understand.
        case prose
    }

    /// The name of the case in deviations and reports.
    public let id: String
    /// A title for readers; empty if the case has none.
    public let title: String
    /// The whole case.
    public let json: JSONValue
    /// The place of the case in its file.
    public let place: SoupError.Place

    /// Creates a case from an element of a set.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not an object, has no `id`, or has malformed operations or soups.
    public init(_ json: JSONValue, at place: SoupError.Place) throws {
        func bad(_ key: String, _ message: String) -> SoupError {
            var place = place
            if !key.isEmpty { place.path = [place.path, key].compactMap { $0 }.joined(separator: ".") }
            return SoupError(.json, message, place: place)
        }
        guard case .object = json else { throw bad("", "a case must be an object") }
        guard let id = json["id"]?.stringValue, !id.isEmpty else {
            throw bad("id", "a case must have a string \"id\"")
        }
        if let operations = json["ops"] {
            guard let list = operations.arrayValue else { throw bad("ops", "expected an array of operations") }
            for (index, operation) in list.enumerated() where operation["op"]?.stringValue == nil {
                throw bad("ops[\(index)]", "an operation must be an object with a string \"op\"")
            }
            for (index, soup) in (json["soups"]?.arrayValue ?? []).enumerated() where soup["name"] == nil {
                throw bad("soups[\(index)]", "a soup must be an object with \"name\" and \"indexes\"")
            }
        }
        self.id = id
        self.title = json["title"]?.stringValue ?? json["op"]?.stringValue ?? ""
        self.json = json
        self.place = place
    }

    /// The kind of the case, which determines how it is run.
    public var kind: Kind {
        if json["ops"] != nil { return .store }
        if json["req"] != nil { return .exchange }
        guard let operation = json["op"]?.stringValue else { return .prose }
        if QueryCaseRunner.supports(operation), json["target"] == nil { return .query }
        return TargetCaseRunner.supports(operation) && json["target"] != nil ? .target : .prose
    }

    /// The operations of a case on a store; for any other case, the case itself.
    var operations: [JSONValue] { json["ops"]?.arrayValue ?? [json] }

    /// `C030 unknown id`.
    public var description: String { title.isEmpty ? id : "\(id) \(title)" }
}

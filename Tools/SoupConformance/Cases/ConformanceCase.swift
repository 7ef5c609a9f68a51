// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// One data case: what it does, and what it expects, as the file has it.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// What a case is about, told by its members.
    public enum Kind: Sendable, Hashable {
        /// Operations on an empty store, one after another: it has `ops`.
        case store
        /// A query that is built, changed or cut into pieces: it has an `op` for that.
        case query
        /// A sync-down target that is made or asked for something: the same, with a `target`.
        case target
        /// A request to a local org and its answer: it has `req`.
        case exchange
        /// Something else, written for people.
        case prose
    }

    /// The name that deviations and reports use.
    public let id: String
    /// What the case shows, for people; empty when it does not say.
    public let title: String
    /// The whole case.
    public let json: JSONValue
    /// Where it stands.
    public let place: Place

    /// Takes a case from a set.
    ///
    /// - Throws: ``SoupError`` with `json` when it is no object, has no `id`, or operations that are none.
    public init(_ json: JSONValue, at place: Place) throws {
        func bad(_ key: String, _ message: String) -> SoupError {
            var place = place
            if !key.isEmpty { place.path = [place.path, key].compactMap { $0 }.joined(separator: ".") }
            return SoupError(.json, message, place: place)
        }
        guard case .object = json else { throw bad("", "a case must be an object") }
        guard let id = json["id"]?.stringValue, !id.isEmpty else {
            throw bad("id", "a case needs an \"id\" with a text")
        }
        if let operations = json["ops"] {
            guard let list = operations.arrayValue else { throw bad("ops", "expected an array of operations") }
            for (index, operation) in list.enumerated() where operation["op"]?.stringValue == nil {
                throw bad("ops[\(index)]", "an operation must be an object with the text \"op\"")
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

    /// What plays the case.
    public var kind: Kind {
        if json["ops"] != nil { return .store }
        if json["req"] != nil { return .exchange }
        guard let operation = json["op"]?.stringValue else { return .prose }
        if QueryCasePlayer.knows(operation), json["target"] == nil { return .query }
        return TargetCasePlayer.knows(operation) && json["target"] != nil ? .target : .prose
    }

    /// The operations of a case on a store; of any other case the case itself.
    var operations: [JSONValue] { json["ops"]?.arrayValue ?? [json] }

    /// `C030 unknown id`.
    public var description: String { title.isEmpty ? id : "\(id) \(title)" }
}

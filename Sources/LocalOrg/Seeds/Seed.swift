// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What is in a local org when it starts.
public struct Seed: Sendable {
    enum Kind: Sendable {
        case definition(OrgDefinition)
        case tiny
        case medium
        case large(Int)
    }

    var kind: Kind

    /// The few rows that the conformance cases are about, with the clock standing at 2024-01-15T12:05:00Z.
    ///
    /// Three accounts, three contacts, two opportunities, a case, a visit with two items, two leads with the same
    /// external id, and a deleted account; all stamped five minutes before.
    public static let tiny = Seed(kind: .tiny)
    /// An org for demos: 200 accounts, 1,000 contacts, 400 opportunities, 300 cases, 500 tasks, 100 visits of 5 items.
    ///
    /// Always the same. Modification dates spread over the half year before 2024-01-15, and no two contacts share one.
    public static let medium = Seed(kind: .medium)
    /// Many accounts, for measurements: about 565 bytes of JSON each, ids that count up, one modified each second.
    public static func large(_ count: Int) -> Seed { Seed(kind: .large(max(0, count))) }

    /// The objects and rows of a JSON document.
    ///
    /// - Throws: ``SoupError`` with `json` or `badConfiguration`.
    public init(json: [UInt8]) throws {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: json)
        } catch {
            throw SoupError(
                .json, "the seed is not JSON: \(error.reason.rawValue)", place: Place(offset: error.offset, in: json))
        }
        self.init(kind: .definition(try OrgDefinition(document)))
    }

    /// The seed of a name: `tiny`, `medium`, `large 1000` or `large:1000`; nil for other names.
    public init?(named name: String) {
        switch name {
        case "tiny": self = .tiny
        case "medium": self = .medium
        default:
            let parts = name.split { $0 == " " || $0 == ":" }
            guard parts.count == 2, parts[0] == "large", let count = Int(parts[1]), count >= 0 else { return nil }
            self = .large(count)
        }
    }

    private init(kind: Kind) { self.kind = kind }
}

extension Seed {
    /// The objects and people of the seed, and those of its rows that a document lists.
    func definition() throws -> OrgDefinition {
        switch kind {
        case .definition(let definition): definition
        case .tiny: try SeedDocuments.tiny.get()
        case .medium, .large: try SeedDocuments.demo.get()
        }
    }
}

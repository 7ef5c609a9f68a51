// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore
internal import Synchronization

/// The names in an org and in the built-in seeds, for tools that check texts which use them.
extension LocalOrg {
    /// The names of the fields of each object.
    package var fieldNames: [String: [String]] {
        core.withLock { core in
            Dictionary(core.schema.objects.map { ($0.name, $0.fields.map(\.name)) }) { first, _ in first }
        }
    }

    /// The IDs of the rows and users of the seed that have keys.
    package var seedKeys: [String: String] { core.withLock { $0.keys } }
}

extension OrgSeed {
    /// Returns the document of a built-in seed; nil for an unknown name, and for a seed whose rows are generated.
    package static func document(named name: String) throws -> JSONValue? {
        // A ternary would turn nil into the JSON value null.
        guard name == "tiny" else { return Optional.none }
        return try SeedDocuments.tinyDocument()
    }
}

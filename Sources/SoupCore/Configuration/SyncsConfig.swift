// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A configuration of syncs: `usersyncs.json` or `globalsyncs.json`.
///
/// ```json
/// { "syncs": [ { "syncName": "down", "syncType": "syncDown", "soupName": "contacts",
///                "target": { "type": "soql", "query": "SELECT Id, LastName FROM Contact" },
///                "options": { "mergeMode": "OVERWRITE" } } ] }
/// ```
public struct SyncsConfig: Sendable, Hashable {
    /// In the order of the file; `SyncManager.setUp` creates them in this order.
    public var syncs: [SyncDefinition]

    /// Syncs made in code; those of a file are read, and checked, by ``read(_:file:registry:soups:)``.
    public init(syncs: [SyncDefinition] = []) { self.syncs = syncs }

    /// What is known of the soups that syncs may use.
    public enum Soups: Sendable, Hashable {
        /// Those of the store configuration beside it, and no others.
        case registered(StoreConfig)
        /// There is no store configuration of that name: the app registers its soups in code.
        case inCode(missing: String)
        /// The store configuration cannot be read, which is reported with that file.
        case unknown
    }
}

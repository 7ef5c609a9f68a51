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
    /// The syncs in the order of the file; `SyncManager.setUp` creates them in this order.
    public var syncs: [SyncDefinition]

    /// Creates syncs in code; ``read(_:file:registry:soups:connections:)`` reads and checks those of a file.
    public init(syncs: [SyncDefinition] = []) { self.syncs = syncs }

    /// The information about the soups that syncs may use.
    public enum Soups: Sendable, Hashable {
        /// Only the soups of the corresponding store configuration.
        case registered(StoreConfig)
        /// The app registers its soups in code, because there is no store configuration with that name.
        case inCode(missing: String)
        /// The store configuration cannot be read; its own check reports that.
        case unknown
    }
}

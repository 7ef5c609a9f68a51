// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The definition of a sync in a configuration file or a call: its records, its direction and its options.
public struct SyncDefinition: Sendable, Hashable {
    /// The name, unique in a store; nil for a sync that is run once, by its ID.
    public var name: String?
    /// The direction; the target is looked up among those of this direction.
    public var type: SyncType
    /// The soup to sync; a target with a ``RecordLayout`` names its soups itself.
    public var soup: SoupName
    /// The `target` object, not decoded yet.
    public var target: TargetReference
    /// The handling of conflicts, and the fields that a sync up sends.
    public var options: SyncOptions

    /// Creates a definition without checks: `SyncManager` creates the target when it gets the definition, and reports
    /// errors then.
    public init(
        name: String? = nil, type: SyncType, soup: SoupName, target: TargetReference,
        options: SyncOptions = SyncOptions()
    ) {
        self.name = name
        self.type = type
        self.soup = soup
        self.target = target
        self.options = options
    }
}

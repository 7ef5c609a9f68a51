// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A sync as a configuration file or a call defines it: what to move, where to and how.
public struct SyncDefinition: Sendable, Hashable {
    /// Unique in a store; nil for a sync that is run once, by its id.
    public var name: String?
    /// The direction; the target is looked up among those of this direction.
    public var type: SyncType
    /// The soup to sync; a target with a ``RecordLayout`` names its soups itself.
    public var soup: SoupName
    /// The `target` object, not decoded yet.
    public var target: TargetReference
    /// What happens to conflicts, and which fields a sync up sends.
    public var options: SyncOptions

    /// Checks nothing: `SyncManager` makes the target when it takes the definition, and tells then what is wrong.
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

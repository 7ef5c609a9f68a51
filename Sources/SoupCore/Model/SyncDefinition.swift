// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A sync as a configuration file or a call defines it: what to move, where to and how.
public struct SyncDefinition: Sendable, Hashable {
    /// Unique in a store; nil for a sync that is run once, by its id.
    public var name: String?
    public var type: SyncType
    public var soup: SoupName
    public var target: TargetReference
    public var options: SyncOptions

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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A conflict resolver that keeps the local change, regardless of the server's record.
public struct LocalResolver: ConflictResolver {
    /// The resolver has no options.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `local`.
    public static let name: PluginName = "local"

    /// Creates the resolver.
    public init(configuration: Configuration) {}

    /// Returns ``ConflictResolution/local``.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution { .local }
}

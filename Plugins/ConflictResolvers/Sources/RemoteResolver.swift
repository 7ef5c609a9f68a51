// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A conflict resolver that keeps the server's record, regardless of the local change.
public struct RemoteResolver: ConflictResolver {
    /// The resolver has no options.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `remote`.
    public static let name: PluginName = "remote"

    /// Creates the resolver.
    public init(configuration: Configuration) {}

    /// Returns ``ConflictResolution/remote``.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution { .remote }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A conflict resolver that keeps the later change, by the clock of this device and the clock of the server.
///
/// The two clocks may differ: if the clock of the device is wrong, the result may be wrong.
public struct NewestResolver: ConflictResolver {
    /// The resolver has no options.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `newest`.
    public static let name: PluginName = "newest"

    /// Creates the resolver.
    public init(configuration: Configuration) {}

    /// Returns the side with the later time; ``ConflictResolution/unresolved`` if the server's time is unknown, as for
    /// a record that was deleted there.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution {
        guard let remoteTime = conflict.remoteTime else { return .unresolved }
        return conflict.localTime >= remoteTime ? .local : .remote
    }
}

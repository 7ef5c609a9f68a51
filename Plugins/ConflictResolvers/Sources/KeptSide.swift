// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Keeps what was changed here, whatever the server has.
public struct LocalResolver: ConflictResolver {
    /// Nothing can be set.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `local`.
    public static let name: PluginName = "local"

    /// Needs nothing.
    public init(configuration: Configuration) {}

    /// ``ConflictResolution/local``, always.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution { .local }
}

/// Keeps what the server has, whatever was changed here.
public struct RemoteResolver: ConflictResolver {
    /// Nothing can be set.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `remote`.
    public static let name: PluginName = "remote"

    /// Needs nothing.
    public init(configuration: Configuration) {}

    /// ``ConflictResolution/remote``, always.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution { .remote }
}

/// Keeps the side that was changed last, by the clock of this device and that of the server.
///
/// The two clocks need not agree: a device whose clock is wrong wins or loses by it.
public struct NewestResolver: ConflictResolver {
    /// Nothing can be set.
    public struct Configuration: Decodable, Sendable {}

    /// The name in a sync's options: `newest`.
    public static let name: PluginName = "newest"

    /// Needs nothing.
    public init(configuration: Configuration) {}

    /// The side with the later time; ``ConflictResolution/unresolved`` when the server's is not known, as for a record
    /// that was deleted there.
    public func resolve(_ conflict: RecordConflict) -> ConflictResolution {
        guard let remoteTime = conflict.remoteTime else { return .unresolved }
        return conflict.localTime >= remoteTime ? .local : .remote
    }
}

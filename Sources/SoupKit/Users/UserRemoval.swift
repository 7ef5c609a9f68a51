// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupHTTP
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of ``SoupClient/destroy(discardingUnsentChanges:)``.
public struct UserRemoval: Sendable, Hashable {
    /// The files of the removed stores, which no longer exist, in ascending order.
    public var stores: [URL]
    /// The stores that SoupKit cannot remove, or must not; empty in most cases.
    public var kept: [KeptStore]
    /// The saved sessions that were removed, each with the reason if its server did not confirm the end of its tokens.
    public var sessions: [SessionEnd]

    /// Creates a result; for tests.
    public init(stores: [URL] = [], kept: [KeptStore] = [], sessions: [SessionEnd] = []) {
        self.stores = stores
        self.kept = kept
        self.sessions = sessions
    }

    /// A store that was not removed, although the configuration names it.
    public struct KeptStore: Sendable, Hashable, CustomStringConvertible {
        /// The place of the store in its configuration file.
        public var place: SoupError.Place
        /// The file or the backend, and the reason.
        public var reason: String

        /// Creates a value; for tests.
        public init(place: SoupError.Place, reason: String) {
            self.place = place
            self.reason = reason
        }

        /// The place and the reason.
        public var description: String { "\(place): \(reason)" }
    }
}

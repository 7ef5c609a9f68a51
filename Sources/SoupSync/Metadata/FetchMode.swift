// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The sources from which a ``LayoutCache`` and a ``MetadataCache`` return a description.
public enum FetchMode: String, Sendable, Hashable, CaseIterable {
    /// Only the store; no request is sent, and the result is `nil` if the description is not stored.
    case cacheOnly
    /// The store, or the server if the description is not stored.
    case cacheFirst
    /// The server, or the store if the server cannot be reached or does not accept requests.
    case serverFirst
}

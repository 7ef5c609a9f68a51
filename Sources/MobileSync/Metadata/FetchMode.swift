// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Where a ``LayoutCache`` and a ``MetadataCache`` look for a description.
public enum FetchMode: String, Sendable, Hashable, CaseIterable {
    /// In the store alone: no request, and nil when it is not there.
    case cacheOnly
    /// In the store, and on the server when it is not there.
    case cacheFirst
    /// On the server, and in the store when the server cannot be reached or takes no requests for now.
    case serverFirst
}

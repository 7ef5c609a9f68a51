// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A store without blocking access.
struct PlainStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "plain"
    let inner: any StoreBackend
    var capabilities: Set<StoreCapability> { inner.capabilities.subtracting([.composable]) }
}

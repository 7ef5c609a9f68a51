// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import Testing

@Suite struct ComposedStoresModuleTests {
    @Test func `The module registers all backends`() throws {
        var registry = PluginRegistry()
        try ComposedStoresModule().register(in: &registry)
        #expect(registry.storeBackends.map(\.name) == ["layered", "metered", "routed"])
    }
}

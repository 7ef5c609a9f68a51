// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store that refuses to alter the soups that a test selects.
struct FailingStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "failing"

    /// The soups that cannot be altered, and the alters that were requested.
    final class Faults: Sendable {
        private let soups = Mutex<Set<SoupName>>([])
        private let altered = Mutex<[SoupName]>([])

        func refuse(_ names: Set<SoupName>) { soups.withLock { $0 = names } }
        var alters: [SoupName] { altered.withLock { $0 } }

        fileprivate func note(_ soup: SoupName) throws {
            altered.withLock { $0.append(soup) }
            if soups.withLock({ $0.contains(soup) }) { throw SoupError(.storeUnusable, "the disk failed") }
        }
    }

    let inner: any StoreBackend
    let faults = Faults()

    init(_ inner: any StoreBackend) { self.inner = inner }

    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try faults.note(soup)
        try await inner.alterSoup(soup, to: specs, reIndex: reIndex)
    }
}

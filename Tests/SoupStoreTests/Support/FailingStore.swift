// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store that refuses to alter the soups that a test selects.
struct FailingStore: StoreBackend {
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

    let base: any StoreBackend
    let faults = Faults()

    init(_ base: any StoreBackend) { self.base = base }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> FailingStore {
        throw SoupError(.notSupported, "only tests create this store")
    }

    var capabilities: Set<StoreCapability> { base.capabilities.subtracting([.composable, .foreignCommits]) }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await base.write(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await base.read(body)
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { base.changes(in: soups) }

    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try faults.note(soup)
        try await base.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    func claimSyncs() async throws -> SyncLease? { try await base.claimSyncs() }

    func close() async throws { try await base.close() }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupCore
import SoupKit
import Testing

#if canImport(Combine)
    import Combine
#endif

/// The Swift samples of the guide's page on related records, in an app with the configuration of that page.
///
/// Where a line differs from the page, the article `From Salesforce Mobile SDK` contains the difference.
@Suite(.timeLimit(.minutes(2))) struct GuideSyncSamplesTests {
    /// The view model of an app, isolated to the main actor.
    @MainActor private final class ContactList {
        let syncMgr: SyncManager
        var states: [SyncState] = []
        init(_ manager: SyncManager) { syncMgr = manager }

        func sync(_ kSyncName: String, then update: @escaping @Sendable (SyncState) -> Void) throws {
            try self.syncMgr.reSync(named: kSyncName) { [weak self] (syncState) in
                // Handle updates
                Task { @MainActor in self?.states.append(syncState) }
                update(syncState)
            }
        }
    }

    @Test func `A sync runs by its name and reports its states`() async throws {
        let world = try await RelatedRecordsWorld()
        let list = await ContactList(world.kit.syncs)
        for name in ["DownSync", "UpSync"] {
            let (states, update) = AsyncStream.makeStream(of: SyncState.self)
            try await list.sync(name) { update.yield($0) }
            let last = await states.first { $0.status != .new && $0.status != .running }
            #expect(last?.status == .done && last?.name == name)
        }
        #expect(try await world.storeRecords().count == 7)
    }

    /// The functions that the guide's extension for Combine uses.
    @Test func `A sync ends with a result that has a typed error`() async throws {
        let world = try await RelatedRecordsWorld()
        func end(of name: String) async -> Result<SyncState, MobileSyncError> {
            await withCheckedContinuation { end in
                world.kit.syncs.reSyncWithoutUpdates(named: name) { end.resume(returning: $0) }
            }
        }
        #expect(try await end(of: "DownSync").get().status == .done)
        guard case .failure(.notStarted(let error as SoupError)) = await end(of: "None") else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .syncNotFound)
        let ghosts: Result<UInt, MobileSyncError> = await withCheckedContinuation { end in
            world.kit.syncs.cleanGhosts(named: "DownSync") { end.resume(returning: $0) }
        }
        #expect(try ghosts.get() == 0)
    }

    #if canImport(Combine)
        @Test func `Publishers return the same results`() async throws {
            let world = try await RelatedRecordsWorld()
            #expect(try await world.kit.syncs.publisher(for: "DownSync").value.status == .done)
            #expect(try await world.kit.syncs.cleanGhostsPublisher(for: "DownSync").value == 0)
        }
    #endif
}

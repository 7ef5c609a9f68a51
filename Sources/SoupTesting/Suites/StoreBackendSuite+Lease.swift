// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks claiming, releasing and dropping the lease for syncing.
    func checkLease(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        func claim(_ when: String) async -> SyncLease?? {
            await report.expect("the suite called claimSyncs() \(when), and the store", rule: "answer") {
                try await store.claimSyncs()
            }
        }
        guard let first = await claim("on a store that nothing syncs") else { return }
        guard let first else {
            return report.note("claimSyncs() returned nil, and nothing holds the lease: grant it")
        }
        if let second = await claim("while the lease was held"), second != nil {
            report.note(
                "claimSyncs() granted a second lease while the first was held: return nil until it is released, and "
                    + "implement claimSyncs() -> SyncLease? (the default grants every claim)")
        }
        first.release()
        guard let released = await claim("after release()") else { return }
        report.require(
            released != nil, "claimSyncs() returned nil after release(): give the lock back in the lease's closure")
        // A second release must not release the lease of the next holder.
        first.release()
    }
}

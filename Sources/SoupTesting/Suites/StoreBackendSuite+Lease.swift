// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks claiming, releasing and dropping the lease for syncing.
    func checkLease(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        func claim(_ when: String) async -> SyncLease?? {
            await report.expect("the suite called claimSyncs() \(when), and the store", rule: "return a lease or nil") {
                try await store.claimSyncs()
            }
        }
        guard let first = await claim("while the lease was free") else { return }
        guard let first else {
            return report.note("claimSyncs() returned nil while the lease was free: return a lease")
        }
        if let second = await claim("while the lease was held"), second != nil {
            report.note(
                "claimSyncs() returned a second lease while the first was held: return nil until the first lease is "
                    + "released; a store that wraps another one claims its lease")
        }
        await checkReopenedLease(store, &report)
        first.release()
        guard let released = await claim("after release()") else { return }
        report.require(
            released != nil, "claimSyncs() returned nil after release(): release the lock in the lease's closure")
        // A second release must not release the lease of the next holder.
        first.release()
    }

    /// Checks that another opened store of the same data gets no lease while the first one is held.
    private func checkReopenedLease(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        guard let reopen else { return }
        await report.expect(
            "the suite opened the data of an open store once more, claimed the lease there, and the store",
            rule: "return nil while another opened store holds the lease"
        ) {
            let second = try await reopen(store)
            let isGranted = try await second.claimSyncs() != nil
            try await second.close()
            if isGranted {
                throw SoupError(
                    .storeUnusable,
                    "granted the lease, which the first store holds: two processes would sync the same data")
            }
        }
    }
}

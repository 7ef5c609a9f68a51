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
                "claimSyncs() returned a second lease while the first was held: implement claimSyncs() -> SyncLease? (the "
                    + "default grants every claim), and return nil until the first lease is released")
        }
        first.release()
        guard let released = await claim("after release()") else { return }
        report.require(
            released != nil, "claimSyncs() returned nil after release(): release the lock in the lease's closure")
        // A second release must not release the lease of the next holder.
        first.release()
    }
}

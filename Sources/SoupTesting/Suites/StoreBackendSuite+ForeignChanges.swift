// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks that a store that claims `foreignChanges` reports the writes of another opened store.
    ///
    /// A report takes milliseconds. If there is none within ``reportLimit``, the check fails.
    func checkForeignChanges(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let reportLimit = reportLimit
        guard let reopen, store.capabilities(of: "things").contains(.foreignChanges) else { return }
        let changes = store.changes(in: ["things"])
        do {
            let second = try await reopen(store)
            try await second.write { writer in
                let stamp = RecordBatch.Stamp().setting("size", .integer(2_002))
                _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: "things")
            }
            try await second.close()
        } catch {
            return report.note("the suite wrote through a second opened store, which threw \(error.quoted)")
        }
        let listener = Task {
            for await change in changes { return change.soups == ["things"] }
            return false
        }
        let limit = Task {
            try await Task.sleep(for: reportLimit)
            listener.cancel()
        }
        report.require(
            await listener.value,
            "changes(in:) did not report a write of another opened store of the same data: report it, or do not claim "
                + "foreignChanges")
        limit.cancel()
    }
}

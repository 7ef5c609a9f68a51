// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks that the store has the features that it claims, and claims the features that it has.
    func checkClaims(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        await checkSyncedCopies(store, &report)
        await checkAlteration(store, &report)
    }

    private func checkSyncedCopies(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let flag = EntryField.local
        let written: Int64?? = await report.expect(
            "the suite edited an entry that was clean, and write", rule: "write the entry"
        ) {
            let clean = try JSONText(#"{"\#(flag)": false, "name": "a"}"#)
            return try await store.write { writer in
                try writer.registerSoup("edits", [IndexSpec(JSONPath(flag), .string)])
                guard let id = try writer.upsert(RecordBatch([clean]), into: "edits").first?.id else { return nil }
                let edited = try JSONText(#"{"_soupEntryId": \#(id), "\#(flag)": true, "name": "b"}"#)
                try writer.upsert(RecordBatch([edited]), into: "edits")
                return id
            }
        }
        guard let id = written ?? nil else { return }
        let found = await report.expect(
            "the suite read the synced copy of an edited entry, and the store", rule: "return the copy"
        ) {
            try await store.read { try $0.syncedCopies(of: [id], in: "edits")[id]?.value["name"] }
        }
        guard let name = found else { return }
        if store.capabilities(of: "edits").contains(.syncedCopies) {
            report.require(
                name == "a",
                "the store claims syncedCopies, but does not return the text of an entry from before its local changes: "
                    + "implement syncedCopies(of:in:) and setSyncedCopies(_:in:), or remove the claim")
        } else {
            report.require(name == nil, "the store returns synced copies: claim syncedCopies")
        }
    }

    private func checkAlteration(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let isClaimed = store.capabilities(of: "others").contains(.soupAlteration)
        do {
            try await store.alterSoup("others", to: [IndexSpec("name", .string)], reIndex: true)
            try await store.reIndexSoup("others", paths: ["name"])
            report.require(isClaimed, "the store alters and re-indexes soups: claim soupAlteration")
        } catch {
            report.require(
                !isClaimed && (error as? SoupError)?.code == .notSupported,
                isClaimed
                    ? "the store claims soupAlteration, but altering a soup threw \(error.quoted): implement "
                        + "alterSoup(_:to:reIndex:) and reIndexSoup(_:paths:), or remove the claim"
                    : "the store does not claim soupAlteration, and altering a soup threw \(error.quoted): throw "
                        + "notSupported")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks that no two writes assign the same modification date.
    ///
    /// The writes follow each other immediately, so that some of them are in the same millisecond.
    func checkDates(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let read: [Int64]?? = await report.expect(
            "the suite wrote entries, each in a write of its own, and read them, and the store",
            rule: "return the entries"
        ) {
            try await store.write { try $0.registerSoup("dates", [IndexSpec("name", .string)]) }
            for number in 0..<20 {
                let batch = RecordBatch([try JSONText(#"{"name": "\#(number)"}"#)])
                _ = try await store.write { try $0.upsert(batch, into: "dates") }
            }
            let spec = QuerySpec.all("dates", orderedBy: JSONPath(EntryField.entryId), pageSize: 20)
            return try await store.read { try $0.query(spec).entries.map(\.version) }
        }
        guard let dates = read ?? nil else { return }
        report.require(
            zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 },
            "two writes assigned the same modification date, or the dates do not ascend: use the time, or one "
                + "millisecond after the last date of the store, whichever is later")
    }
}

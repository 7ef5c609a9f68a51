// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/limits`: the daily limits and their remaining values.
///
/// ``DailyLimit`` enforces the limit of API calls; the org has no other daily limits.
struct LimitsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func limits() throws -> OrgAnswer {
        func limit(_ maximum: Int, used: Int = 0) -> JSONValue {
            ["Max": .int(Int64(maximum)), "Remaining": .int(Int64(max(0, maximum - used)))]
        }
        let org = context.org
        return OrgAnswer([
            "DailyApiRequests": limit(org.options.dailyLimit, used: org.dailyLimit.calls(at: org.clock.now)),
            "DailyBulkApiBatches": limit(15_000), "DailyBulkV2QueryJobs": limit(10_000),
            "DailyBulkV2QueryFileStorageMB": limit(976_562), "DataStorageMB": limit(1024),
            "FileStorageMB": limit(1024),
        ])
    }
}

/// Answers `/limits/recordCount`: the number of records of each object that has records.
struct RecordCountHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func count() throws -> OrgAnswer {
        let objects =
            request.list("sObjects").map { $0.compactMap { context.schema[$0] } } ?? context.schema.objects
        var counts: [JSONValue] = []
        for object in objects {
            let statement = try context.db.statement(
                "SELECT count(*) FROM \(object.table) WHERE \"IsDeleted\" = 0")
            let count = try statement.first { $0.int(0) } ?? 0
            if count > 0 { counts.append(["count": .int(count), "name": .string(object.name)]) }
        }
        return OrgAnswer(["sObjects": .array(counts)])
    }
}

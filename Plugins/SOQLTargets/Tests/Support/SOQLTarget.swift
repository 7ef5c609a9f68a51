// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SOQLTargets
import SoupCore
import SoupTesting

/// Returns a target with a query.
func soqlTarget(
    _ query: String, rewrite: Bool = true, maxBatchSize: Int = 2000, id: String = "Id",
    date: String = "LastModifiedDate"
) throws -> SOQLSyncDownTarget {
    try SOQLSyncDownTarget(
        configuration: .init(
            query: query, rewrite: rewrite, maxBatchSize: maxBatchSize, idFieldName: id,
            modificationDateFieldName: date))
}

/// Returns the context of a sync down into the soup `contacts`.
func soqlContext(_ transport: any HTTPTransport, from mark: HighWaterMark? = nil) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "contacts", highWaterMark: mark)
}

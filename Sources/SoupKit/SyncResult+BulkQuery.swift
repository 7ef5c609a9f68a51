// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupSalesforce
public import SoupSync

extension SyncResult {
    /// Sync down: whether the run fetched its records with a Bulk 2.0 query job; nil if there was no job.
    public var bulkQuery: BulkQueryOutcome? { BulkQueryOutcome(in: details) }
}

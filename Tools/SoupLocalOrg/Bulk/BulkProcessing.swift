// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How a job or a batch is processed: the delays and failures of the org's options and faults.
struct BulkProcessing: Sendable {
    /// The message with which the work fails, if it fails.
    var failure: String?
    /// How many more requests for the job's state are answered before the work is done.
    var remainingPolls = 0
    /// The work is not done before this time, in milliseconds since 1970.
    var notBefore: Int64 = 0
    /// The state that the job has until then.
    var state = OrgFault.StalledState.inProgress

    /// Whether the work can be done now.
    func isReady(at now: Int64) -> Bool { remainingPolls == 0 && now >= notBefore }
}

extension OrgContext {
    /// The processing of a job or a batch that this request creates.
    var bulkProcessing: BulkProcessing {
        faults.hasHit = true
        var bulk = faults.bulk
        bulk.remainingPolls = max(0, bulk.remainingPolls).plus(max(0, options.bulkPolls))
        return bulk
    }
}

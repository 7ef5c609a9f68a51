// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The delays and failures of a job or a batch, from the org's options and faults.
struct BulkProcessing: Sendable {
    /// The message with which the work fails, if it fails.
    var failure: String?
    /// The number of requests for the job's state that are answered before the work is done.
    var remainingPolls = 0
    /// The work is not done before this time, in milliseconds since 1970.
    var notBefore: Int64 = 0
    /// The state that the job has until then.
    var state = OrgFault.StalledState.inProgress

    /// Returns whether the work can be done now.
    func isReady(at now: Int64) -> Bool { remainingPolls == 0 && now >= notBefore }
}

extension BulkProcessing {
    /// The processing of a job or a batch that a request creates: that of its faults, and the polls of the options.
    init(in context: OrgContext) {
        context.faults.hasHit = true
        self = context.faults.bulk
        remainingPolls = max(0, remainingPolls).plus(max(0, context.options.bulkPolls))
    }
}

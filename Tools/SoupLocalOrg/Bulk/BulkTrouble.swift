// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What keeps a job, or a batch, from being done at once: the org's options and faults.
struct BulkTrouble: Sendable {
    /// Why it is going to fail.
    var failure: String?
    /// How often somebody may still look before the work is done.
    var looks = 0
    /// The work is not done before this time, in milliseconds since 1970.
    var until: Int64 = 0
    /// What it is found in until then.
    var state = OrgFault.StalledState.inProgress

    /// Whether the work can be done now.
    func isOver(at now: Int64) -> Bool { looks == 0 && now >= until }
}

extension OrgContext {
    /// What a job or a batch that is handed over now has in front of it.
    var bulkTrouble: BulkTrouble {
        trouble.hasHit = true
        var bulk = trouble.bulk
        bulk.looks = max(0, bulk.looks).plus(max(0, options.bulkPolls))
        return bulk
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The jobs of an org, of both generations of the API.
///
/// Old jobs are forgotten when there are many, whatever their state: an org is not for ever.
struct BulkRegister: Sendable {
    /// The jobs of the second generation by their ids.
    var jobs: [String: BulkJob] = [:]
    /// Their ids, the oldest first.
    private(set) var order: [String] = []
    /// The jobs of the first generation by their ids.
    var classicJobs: [String: ClassicJob] = [:]
    var batches: [String: ClassicBatch] = [:]
    private var classicOrder: [String] = []
    private var numbers: [String: Int64] = [:]

    /// How many jobs of a generation are kept.
    private static let capacity = 2000

    /// The next id of a kind: `750` for jobs, `751` for batches, `752` for results.
    mutating func nextId(_ prefix: String) -> String {
        let number = (numbers[prefix] ?? 0) + 1
        numbers[prefix] = number
        return RecordID.make(prefix, number)
    }

    mutating func add(_ job: BulkJob) {
        jobs[job.id] = job
        order.append(job.id)
        if order.count > Self.capacity { jobs[order.removeFirst()] = nil }
    }

    mutating func remove(_ id: String) {
        jobs[id] = nil
        order.removeAll { $0 == id }
    }

    mutating func add(_ job: ClassicJob) {
        classicJobs[job.id] = job
        classicOrder.append(job.id)
        guard classicOrder.count > Self.capacity else { return }
        let oldest = classicJobs.removeValue(forKey: classicOrder.removeFirst())
        for id in oldest?.batches ?? [] { batches[id] = nil }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The jobs of an org, of both generations of the API.
struct BulkRegister: Sendable {
    /// The jobs of the second generation by their ids.
    var jobs: [String: BulkJob] = [:]
    /// Their ids, the oldest first.
    private(set) var order: [String] = []
    /// The jobs of the first generation by their ids.
    var classicJobs: [String: ClassicJob] = [:]
    var batches: [String: ClassicBatch] = [:]
    private var numbers: [String: Int64] = [:]

    /// The next id of a kind: `750` for jobs, `751` for batches, `752` for results.
    mutating func nextId(_ prefix: String) -> String {
        let number = (numbers[prefix] ?? 0) + 1
        numbers[prefix] = number
        return RecordID.make(prefix, number)
    }

    mutating func add(_ job: BulkJob) {
        jobs[job.id] = job
        order.append(job.id)
    }

    mutating func remove(_ id: String) {
        jobs[id] = nil
        order.removeAll { $0 == id }
    }
}

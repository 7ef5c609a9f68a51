// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The jobs of an org, of both versions of the Bulk API.
///
/// If there are many jobs and batches, or if they need much memory, finished ones are removed first, then the oldest.
/// The latest is kept, regardless of its size.
struct BulkRegister: Sendable {
    /// The jobs of Bulk API 2.0 by their IDs.
    private(set) var jobs: [String: BulkJob] = [:]
    /// The jobs of Bulk API 1.0 by their IDs.
    private(set) var classicJobs: [String: ClassicJob] = [:]
    private(set) var batches: [String: ClassicBatch] = [:]
    /// The IDs of jobs of Bulk API 2.0 and of batches, the oldest first.
    private(set) var order: [String] = []
    private var classicOrder: [String] = []
    private var numbers: [String: Int64] = [:]
    /// The memory of jobs and batches, in bytes.
    private(set) var size = 0
    /// The maximum memory of all jobs and batches, in bytes: 256 MB.
    var mostBytes = 256 << 20

    /// The maximum number of jobs of each API.
    private static let capacity = 2000
    /// The maximum number of batches of a job.
    static let mostBatches = 10_000

    /// Returns the next ID of a kind: `750` for jobs, `751` for batches, `752` for results.
    mutating func nextId(_ prefix: String) -> String {
        let number = (numbers[prefix] ?? 0) + 1
        numbers[prefix] = number
        return RecordID.make(prefix, number)
    }

    /// Stores a job, replacing its previous version.
    mutating func keep(_ job: BulkJob) {
        if let before = jobs.updateValue(job, forKey: job.id) {
            size -= before.size
        } else {
            order.append(job.id)
            if jobs.count > Self.capacity, let oldest = order.first(where: { jobs[$0] != nil }) { remove(oldest) }
        }
        size += job.size
        makeRoom(sparing: job.id)
    }

    mutating func keep(_ job: ClassicJob) {
        if classicJobs.updateValue(job, forKey: job.id) == nil { classicOrder.append(job.id) }
        guard classicOrder.count > Self.capacity else { return }
        let oldest = classicJobs.removeValue(forKey: classicOrder.removeFirst())
        let gone = Set(oldest?.batches ?? [])
        for id in gone { size -= batches.removeValue(forKey: id)?.size ?? 0 }
        order.removeAll { gone.contains($0) }
    }

    /// Stores a batch, replacing its previous version; a new one becomes the last of its job.
    mutating func keep(_ batch: ClassicBatch) {
        if let before = batches.updateValue(batch, forKey: batch.id) {
            size -= before.size
        } else {
            order.append(batch.id)
            classicJobs[batch.jobId]?.batches.append(batch.id)
        }
        size += batch.size
        makeRoom(sparing: batch.id)
    }

    /// Returns the batches of a job that are kept.
    func batches(of job: ClassicJob) -> [ClassicBatch] { job.batches.compactMap { batches[$0] } }

    /// Forgets a job of Bulk API 2.0, or a batch.
    mutating func remove(_ id: String) {
        if let job = jobs.removeValue(forKey: id) { size -= job.size }
        if let batch = batches.removeValue(forKey: id) {
            size -= batch.size
            classicJobs[batch.jobId]?.batches.removeAll { $0 == id }
        }
        order.removeAll { $0 == id }
    }

    private mutating func makeRoom(sparing latest: String) {
        while size > mostBytes,
            let oldest = order.first(where: { $0 != latest && isDone($0) })
                ?? order.first(where: { $0 != latest })
        {
            remove(oldest)
        }
    }

    private func isDone(_ id: String) -> Bool { jobs[id]?.state.isFinal ?? batches[id]?.state.isFinal ?? true }
}

extension BulkJob {
    /// The approximate memory, in bytes.
    fileprivate var size: Int {
        let results = (result.map { $0.header.count + $0.lines.count + $0.ends.count * 8 } ?? 0)
        let outcomes = ingested.map { $0.successful.count + $0.failed.count + $0.unprocessed.count } ?? 0
        return 1000 + query.utf8.count + (upload?.count ?? 0) + results + outcomes
    }
}

extension ClassicBatch {
    /// The approximate memory, in bytes.
    fileprivate var size: Int { 1000 + request.count + result.count + results.reduce(0) { $0 + $1.body.count } }
}

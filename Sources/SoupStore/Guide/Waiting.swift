// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupCore
internal import Synchronization

/// Runs asynchronous work while the calling thread waits for it.
///
/// The waiting thread also runs the work between its suspensions. The work therefore needs no thread of Swift's pool,
/// and ends even if all of these threads wait in this function.
///
/// - Throws: the error of the work; ``SoupError`` with `insideWrite` in the body of a write; in a cancelled task
///   `CancellationError`, and no work is begun. Work that has begun is completed, because it is not notified of a
///   cancellation.
package func waiting<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
    try Task.checkCancellation()
    try WriteMark.check()
    let thread = WaitingThread()
    let outcome = Outcome<T>()
    Task(executorPreference: thread) {
        await outcome.run(work)
        thread.finish()
    }
    thread.runJobs()
    return try outcome.get()
}

/// The result of the work.
private final class Outcome<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)

    func run(_ work: @Sendable () async throws -> T) async {
        let result: Result<T, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        self.result.withLock { $0 = result }
    }

    func get() throws -> T {
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}

/// A thread that runs jobs until the work is done.
private final class WaitingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let jobAdded = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTooLate = state.withLock { state in
            if !state.isFinished { state.jobs.append(job) }
            return state.isFinished
        }
        if isTooLate { runElsewhere(job) } else { jobAdded.signal() }
    }

    /// Ends ``runJobs()``; the work calls this at its end.
    func finish() {
        state.withLock { $0.isFinished = true }
        jobAdded.signal()
    }

    /// Runs jobs until ``finish()``.
    func runJobs() {
        while true {
            jobAdded.wait()
            let (job, isFinished) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isFinished)
            }
            if let job {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isFinished {
                return
            }
        }
    }

    /// Runs a job elsewhere: an actor shared with other tasks may schedule one on an executor whose work is done.
    private func runElsewhere(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupCore
internal import Synchronization

/// Runs asynchronous work while the calling thread waits for it.
///
/// The thread does not only wait: what the work has to do between its own waits is done on it. So the work needs none
/// of the threads of Swift's pool, and ends even when all of them wait as this one does.
///
/// - Throws: what the work throws; ``SoupError`` with `insideWrite` in the body of a write; `CancellationError`, and
///   nothing is begun, in a task that was cancelled. Work that has begun goes on to its end: nobody tells it of a
///   cancellation.
package func waiting<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
    try Task.checkCancellation()
    try WriteMark.check()
    let thread = WaitingThread()
    let outcome = Outcome<T>()
    Task(executorPreference: thread) {
        await outcome.take(work)
        thread.finish()
    }
    thread.runJobs()
    return try outcome.get()
}

/// What came of the work.
private final class Outcome<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)

    func take(_ work: @Sendable () async throws -> T) async {
        let result: Result<T, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        self.result.withLock { $0 = result }
    }

    func get() throws -> T {
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}

/// A thread that runs jobs until it is told that the work is done.
private final class WaitingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTooLate = state.withLock { state in
            if !state.isFinished { state.jobs.append(job) }
            return state.isFinished
        }
        if isTooLate { runElsewhere(job) } else { news.signal() }
    }

    /// Called by the work itself, as the last thing it does.
    func finish() {
        state.withLock { $0.isFinished = true }
        news.signal()
    }

    /// Runs what comes until ``finish()``.
    func runJobs() {
        while true {
            news.wait()
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

    /// An actor that other tasks use too may have something to do on an executor whose own work is done.
    private func runElsewhere(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A started program, and its resource usage after it has ended.
///
/// Foundation's `Process` does not report the memory of a program, so this type starts it with `posix_spawn`.
final class ChildProcess {
    private let id: pid_t
    private var hasEnded = false

    /// - Parameters:
    ///   - output: the file for its standard output; its standard error is that of this process.
    ///   - environment: variables that are added to those of this process.
    init(_ program: String, _ arguments: [String], output: String, environment: [String: String] = [:]) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var id = pid_t()
        let status = posix_spawn(&id, program, &actions, nil, &words, &settings)
        guard status == 0 else {
            throw ContestantError("cannot start \(program): \(String(cString: strerror(status)))")
        }
        self.id = id
    }

    deinit { stop() }

    /// Waits until the program has ended, which must succeed.
    ///
    /// - Returns: the program's peak resident memory in bytes. The system begins the count with the memory of *this*
    ///   process at the start of the other, so call this before this process allocates much memory.
    func waitForPeakMemory() throws -> Int {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) == -1 {
            guard errno == EINTR else { throw ContestantError("cannot wait for a program") }
        }
        hasEnded = true
        guard status == 0 else { throw ContestantError("a program ended with status \(status >> 8)") }
        #if canImport(Darwin)
            return Int(usage.ru_maxrss)
        #else
            return Int(usage.ru_maxrss) * 1024
        #endif
    }

    /// Terminates the program, which must succeed, and waits until it has ended.
    ///
    /// - Returns: as ``waitForPeakMemory()``.
    func stopForPeakMemory() throws -> Int {
        guard isRunning else { throw ContestantError("a program ended before it was terminated") }
        kill(id, SIGTERM)
        return try waitForPeakMemory()
    }

    /// The processor time of the program so far in seconds, of all threads and of the system; NaN if it is unknown.
    var processorTime: Double {
        #if canImport(Darwin)
            return .nan
        #else
            var clock = clockid_t()
            var time = timespec()
            guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .nan }
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        #endif
    }

    /// Whether the program has not ended.
    var isRunning: Bool {
        if hasEnded { return false }
        var status: Int32 = 0
        if waitpid(id, &status, WNOHANG) == id { hasEnded = true }
        return !hasEnded
    }

    /// Terminates the program if it is running.
    func stop() {
        guard isRunning else { return }
        kill(id, SIGTERM)
        var status: Int32 = 0
        waitpid(id, &status, 0)
        hasEnded = true
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Medians, and the preparation of measurements.
enum Rounds {
    /// Returns the median; for an even count, the mean of the middle two values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// Returns the median of the ratios between values that were measured next to each other.
    ///
    /// - Parameter theirs: the same number of values as `ours`, or one for a fixed number of them, in the order of the
    ///   measurements.
    static func ratio(of ours: [Double], to theirs: [Double]) -> Double {
        guard !theirs.isEmpty else { return .nan }
        let share = max(1, ours.count / theirs.count)
        return median(
            theirs.enumerated().map { index, their in
                median(Array(ours.dropFirst(index * share).prefix(share))) / their
            })
    }

    /// Returns the duration of `body` in seconds; flushes earlier writes to disk before it starts.
    static func seconds(_ clock: Stopwatch, _ body: () async throws -> Void) async throws -> Double {
        sync()
        let start = clock.now
        try await body()
        return clock.now - start
    }

    /// Runs `body` with a new folder in the temporary folder, and removes it afterwards.
    static func inTemporaryFolder<T>(_ body: (String) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("soupkit-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path)
    }

    /// Prints progress to standard error.
    static func progress(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

/// A source of time for measurements.
enum Stopwatch: Sendable {
    /// The elapsed time.
    case wall
    /// The processor time of this process, of all threads and of the system; it varies less on a busy machine.
    case processor

    /// Seconds since an arbitrary instant.
    var now: Double {
        var time = timespec()
        clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

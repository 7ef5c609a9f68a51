// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Medians, and the quiet that a measurement needs.
enum Rounds {
    /// The middle of the values; between the middle two for an even count.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The median of the ratios between values that were measured side by side.
    ///
    /// - Parameter theirs: as many as `ours`, or one for every few of them, in the order of measuring.
    static func ratio(of ours: [Double], to theirs: [Double]) -> Double {
        guard !theirs.isEmpty else { return .nan }
        let share = max(1, ours.count / theirs.count)
        return median(
            theirs.enumerated().map { index, their in
                median(Array(ours.dropFirst(index * share).prefix(share))) / their
            })
    }

    /// The seconds that `body` takes, begun with nothing left to write to disk from before.
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

    /// Tells on standard error what is going on.
    static func progress(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

/// What a second is.
enum Stopwatch: Sendable {
    /// Time as it passes.
    case wall
    /// Time that this process worked, in all of its threads and in the system for it: on a busy machine the steadier one.
    case processor

    /// Seconds since an instant of no meaning.
    var now: Double {
        var time = timespec()
        clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

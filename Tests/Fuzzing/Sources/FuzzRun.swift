// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupTesting

/// A run of mutated inputs for a given time.
struct FuzzRun {
    let kinds: [any FuzzKind]
    let seed: UInt64
    /// The folder for inputs that cause a violation.
    let folder: String
    let record: InputRecord
    private var mutator: Mutator
    private var pools: [[[UInt8]]]
    private var seen: [Set<String>]
    private(set) var counts: [Int]
    private(set) var findings = 0

    /// The time limit of one input, in seconds, after which the system ends the process.
    private static let timeLimit: UInt32 = 30
    /// The maximum number of inputs of a kind that are kept.
    private static let maximumPoolSize = 2000
    private static let maximumFindings = 20
    /// The duration of one time slice.
    private static let slice: Duration = .milliseconds(50)

    init(kinds: [any FuzzKind], corpus: [[[UInt8]]], seed: UInt64, folder: String) throws {
        self.kinds = kinds
        self.seed = seed
        self.folder = folder
        record = try InputRecord(path: folder + "/record")
        mutator = Mutator(random: SeededRandom(seed: seed))
        pools = corpus
        seen = kinds.map { _ in [] }
        counts = kinds.map { _ in 0 }
    }

    /// Runs the corpus without changes, and then mutations of it, one kind after another.
    mutating func run(seconds: Double) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        for kind in kinds.indices {
            for input in pools[kind] { try await check(input, as: kind) }
        }
        while clock.now < end, findings < Self.maximumFindings {
            for kind in kinds.indices {
                let start = clock.now
                while clock.now - start < Self.slice * kinds[kind].share {
                    let input = mutator.mutated(pools[kind], words: kinds[kind].words)
                    if try await check(input, as: kind), pools[kind].count < Self.maximumPoolSize {
                        pools[kind].append(input)
                    }
                }
            }
        }
        record.clear()
    }

    /// Runs one input.
    ///
    /// - Returns: whether the result is new.
    @discardableResult
    mutating func check(_ input: [UInt8], as kind: Int) async throws -> Bool {
        record.save(input, kind: kind)
        alarm(Self.timeLimit)
        defer { alarm(0) }
        counts[kind] += 1
        do {
            return seen[kind].insert(try await kinds[kind].check(input)).inserted
        } catch {
            let message = (error as? Violation)?.message ?? "an unexpected error: \(error)"
            // Reports each violation once, because many inputs cause the same one.
            if seen[kind].insert(outline("violation", String(message.prefix { $0 != ":" }))).inserted {
                findings += 1
                let name = "\(folder)/\(kinds[kind].name)-\(findings)"
                try Data(input).write(to: URL(filePath: name))
                say("\(kinds[kind].name): \(message.prefix(600))\n    input: \(name)")
            }
            return true
        }
    }
}

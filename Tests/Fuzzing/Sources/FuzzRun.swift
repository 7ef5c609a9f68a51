// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupTesting

/// Runs mutated inputs until the time is up.
struct FuzzRun {
    let kinds: [any FuzzKind]
    let seed: UInt64
    /// Where inputs that broke something go.
    let folder: String
    let record: InputRecord
    private var mutator: Mutator
    private var pools: [[[UInt8]]]
    private var seen: [Set<String>]
    private(set) var counts: [Int]
    private(set) var findings = 0

    /// How long one input may take, in seconds, before the system ends the process.
    private static let longest: UInt32 = 30
    /// How many inputs of a kind are kept.
    private static let largestPool = 2000
    private static let mostFindings = 20
    /// How long it is the turn of a kind, for each of its shares.
    private static let turn: Duration = .milliseconds(50)

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

    /// Runs the corpus as it is, and then mutations of it, the kinds in turn.
    mutating func run(seconds: Double) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        for kind in kinds.indices {
            for input in pools[kind] { try await check(input, kind) }
        }
        while clock.now < end, findings < Self.mostFindings {
            for kind in kinds.indices {
                let start = clock.now
                while clock.now - start < Self.turn * kinds[kind].share {
                    let input = mutator.mutated(pools[kind], words: kinds[kind].words)
                    if try await check(input, kind), pools[kind].count < Self.largestPool { pools[kind].append(input) }
                }
            }
        }
        record.clear()
    }

    /// Runs one input.
    ///
    /// - Returns: whether the part did something that it had not done before.
    @discardableResult
    mutating func check(_ input: [UInt8], _ kind: Int) async throws -> Bool {
        record.note(input, kind: kind)
        alarm(Self.longest)
        defer { alarm(0) }
        counts[kind] += 1
        do {
            return seen[kind].insert(try await kinds[kind].check(input)).inserted
        } catch {
            let message = (error as? Violation)?.message ?? "an error of another kind: \(error)"
            // One of a sort: a fault shows up again and again.
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

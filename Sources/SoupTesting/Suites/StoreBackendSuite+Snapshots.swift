// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Changes two soups in one write, many times, while other tasks read both.
    func checkSnapshots(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let counted = await report.expect(
            "the suite read two soups while it wrote to both, and the store", rule: "return the entries of both soups"
        ) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    for number in 1...Self.rounds { try await store.write { try Self.write(Int64(number), with: $0) } }
                    return 0
                }
                for _ in 0..<3 {
                    group.addTask {
                        var torn = 0
                        for _ in 0..<Self.rounds {
                            torn += try await store.read { try Self.isTorn($0) } ? 1 : 0
                            // Writes of other tasks run between two reads.
                            await Task.yield()
                        }
                        return torn
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        guard let torn = counted else { return }
        report.require(
            torn == 0,
            "\(torn) of \(3 * Self.rounds) reads saw one soup after a write and another before it: a read must see all "
                + "of a write or none of it, also if the soups are in different stores")
    }

    private static var rounds: Int { 60 }

    /// Sets the same number in the first entries of both soups.
    static func write(_ number: Int64, with writer: any StoreWriter) throws {
        let stamp = RecordBatch.Stamp().setting("size", .integer(number))
        for soup in ["things", "others"] as [SoupName] {
            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: soup)
        }
    }

    /// Returns the numbers that ``write(_:with:)`` set.
    static func numbers(in reader: any StoreReader) throws -> [JSONValue?] {
        try (["things", "others"] as [SoupName]).map { try reader.retrieve([1], from: $0).first?["size"] }
    }

    private static func isTorn(_ reader: any StoreReader) throws -> Bool {
        let found = try numbers(in: reader)
        return found[0] != found[1]
    }
}

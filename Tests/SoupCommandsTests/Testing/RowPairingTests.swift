// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import SoupTesting
import Testing

@testable import SoupCommands

@Suite struct RowPairingTests {
    private static func pairing(_ expected: [JSONObject], _ found: [JSONObject]) -> RowPairing {
        let rows = expected.map { row in
            row.members.map { (key: $0.key, value: ExpectedValue($0.value, names: TestNames())) }
        }
        return RowPairing(rows, with: found, idField: "Id")
    }

    @Test func `A row with an ID belongs to the row with this ID`() {
        let pairing = Self.pairing(
            [["Id": "a", "Phone": "2"], ["Phone": "1"], ["Id": "c", "Phone": "1"]],
            [["Id": "b", "Phone": "1"], ["Id": "a", "Phone": "1"], ["Id": "d", "Phone": "9"]])
        #expect(pairing.pairs == [.init(expected: 0, found: 1), .init(expected: 1, found: 0)])
        #expect(pairing.missing == [2])
        #expect(pairing.unexpected == [2])
    }

    @Test func `Rows change partners so that all can match`() {
        let pairing = Self.pairing([["a": 1], ["b": 2]], [["a": 1, "b": 2], ["a": 1, "b": 3]])
        #expect(pairing.pairs == [.init(expected: 0, found: 1), .init(expected: 1, found: 0)])
        #expect(pairing.missing.isEmpty && pairing.unexpected.isEmpty)
    }

    @Test func `Other rows are paired with the most similar row`() {
        let pairing = Self.pairing(
            [["a": 1, "b": 2, "c": 3], ["a": 9, "b": 9]],
            [["a": 1, "b": 0, "c": 0], ["a": 1, "b": 2, "c": 0], ["a": 0, "b": 0, "c": 0]])
        #expect(pairing.pairs == [.init(expected: 0, found: 1)])
        #expect(pairing.missing == [1])
        #expect(pairing.unexpected == [0, 2])
    }

    /// Compares with the best of all permutations, for small random graphs.
    @Test func `As many rows as possible match completely`() {
        var random = SeededRandom(seed: 20261126)
        for _ in 0..<300 {
            let count = Int.random(in: 1...5, using: &random)
            let edges = (0..<count).map { _ in (0..<count).filter { _ in Int.random(in: 0...2, using: &random) == 0 } }
            let partners = RowPairing.largestMatching(edges)
            #expect(Set(partners.compactMap(\.self)).count == partners.count { $0 != nil })
            for (row, partner) in partners.enumerated() { #expect(partner.map(edges[row].contains) ?? true) }
            #expect(partners.count { $0 != nil } == Self.largest(edges[...], []), "\(edges)")
        }
    }

    private static func largest(_ edges: ArraySlice<[Int]>, _ taken: Set<Int>) -> Int {
        guard let first = edges.first else { return 0 }
        let rest = edges.dropFirst()
        let others = first.filter { !taken.contains($0) }.map { 1 + largest(rest, taken.union([$0])) }
        return max(largest(rest, taken), others.max() ?? 0)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The pairs of expected and found rows, whose order is ignored.
///
/// An expected row with an ID belongs to the found row with this ID. Of the others, as many as possible are paired with
/// rows that match them completely, so that a test passes if there is any way to pair all rows. Each of the rest is
/// paired with the row of which most of its fields match, at least one; equal choices are decided by the order of the
/// rows.
struct RowPairing: Hashable {
    struct Pair: Hashable {
        var expected: Int
        var found: Int
    }
    /// In the order of the expected rows.
    private(set) var pairs: [Pair] = []
    /// The expected rows without a found one.
    private(set) var missing: [Int] = []
    /// The found rows that are not expected.
    private(set) var unexpected: [Int] = []

    /// - Parameter idField: the field of the ID.
    init(_ expected: [[(key: String, value: ExpectedValue)]], with found: [JSONObject], idField: String) {
        let ids = expected.map { row in row.first { $0.key == idField }.flatMap { $0.value.id } }
        var partners = Array(repeating: Int?.none, count: expected.count)
        var isTaken = Array(repeating: false, count: found.count)
        func pair(_ row: Int, _ other: Int) {
            partners[row] = other
            isTaken[other] = true
        }
        func matches(_ row: Int, _ other: Int) -> Int { expected[row].count { $0.value.matches(found[other][$0.key]) } }
        func pairCompletely(_ rows: [Int], where isCandidate: (Int, Int) -> Bool) {
            let free = found.indices.filter { !isTaken[$0] }
            let edges = rows.map { row in
                free.filter { isCandidate(row, $0) && matches(row, $0) == expected[row].count }
            }
            for (row, other) in zip(rows, Self.largestMatching(edges)) {
                if let other { pair(row, other) }
            }
        }
        let named = expected.indices.filter { ids[$0] != nil }
        func isSame(_ row: Int, _ other: Int) -> Bool { found[other][idField]?.idText == ids[row] }
        pairCompletely(named, where: isSame)
        for row in named where partners[row] == nil {
            if let other = found.indices.first(where: { !isTaken[$0] && isSame(row, $0) }) { pair(row, other) }
        }
        let others = expected.indices.filter { ids[$0] == nil }
        pairCompletely(others) { _, _ in true }

        let free = found.indices.filter { !isTaken[$0] }
        let scores = others.filter { partners[$0] == nil }.flatMap { row in
            free.map { (score: matches(row, $0), row: row, other: $0) }
        }
        for (score, row, other) in scores.sorted(by: { (-$0.score, $0.row, $0.other) < (-$1.score, $1.row, $1.other) })
        where score > 0 && partners[row] == nil && !isTaken[other] {
            pair(row, other)
        }
        for row in expected.indices {
            if let other = partners[row] {
                pairs.append(Pair(expected: row, found: other))
            } else {
                missing.append(row)
            }
        }
        unexpected = found.indices.filter { !isTaken[$0] }
    }

    /// Returns the partner of each row in a matching with as many pairs as possible.
    ///
    /// - Parameter edges: the possible partners of each row.
    static func largestMatching(_ edges: [[Int]]) -> [Int?] {
        var partners = Array(repeating: Int?.none, count: edges.count)
        var owners: [Int: Int] = [:]
        // The rows from which a search did not reach a free one; later searches cannot either.
        var dead: Set<Int> = []
        for start in edges.indices {
            // Searches the shortest path on which rows can change partners until one of them gets a free one.
            var waiting = [start]
            var origins: [Int: Int] = [:]
            var position = 0
            var free: Int?
            search: while position < waiting.count {
                let row = waiting[position]
                position += 1
                for other in edges[row] where origins[other] == nil && !dead.contains(other) {
                    origins[other] = row
                    guard let owner = owners[other] else {
                        free = other
                        break search
                    }
                    waiting.append(owner)
                }
            }
            if free == nil { dead.formUnion(origins.keys) }
            while let other = free, let row = origins[other] {
                free = partners[row]
                partners[row] = other
                owners[other] = row
            }
        }
        return partners
    }
}

extension ExpectedValue {
    /// The text of an expected ID; nil for a placeholder.
    fileprivate var id: String? {
        switch self {
        case .scalar(let value): value.idText
        case .record(_, let id): id
        case .any, .absent, .members, .elements: nil
        }
    }
}

#endif

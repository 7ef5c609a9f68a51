// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore
internal import Synchronization

/// The numbers of the writes of one opened store.
///
/// A write stores its number in the rows of the soups that it changes (`soup_attrs.lastWrite`), in its own transaction.
/// Other opened stores of the file compare the numbers to find the soups that were changed. The upper bits of a number
/// are random and name the opened store, so a store recognizes its own writes.
final class WriteNumbers: Sendable {
    /// The number of bits that count the writes; they start again at 0 when all have been used.
    private static var countBits: Int64 { 20 }

    private let store = Int64.random(in: 1..<(1 << (63 - WriteNumbers.countBits)))
    private let count = Atomic<Int64>(0)

    /// Returns the number of the next write.
    func next() -> Int64 {
        let count = count.wrappingAdd(1, ordering: .relaxed).newValue
        return store << Self.countBits | (count & ((1 << Self.countBits) - 1))
    }

    /// Returns whether a number belongs to a write of this opened store.
    func contains(_ number: Int64) -> Bool { number >> Self.countBits == store }

    /// Returns the number of the last write of each soup that has been written.
    static func all(in db: Database) throws -> [SoupName: Int64] {
        let select = try RawStatement(
            db, "SELECT soupName, lastWrite FROM soup_attrs WHERE lastWrite IS NOT NULL")
        defer { select.reset() }
        var numbers: [SoupName: Int64] = [:]
        while try select.step() { numbers[SoupName(select.text(0))] = select.integer(1) }
        return numbers
    }
}

extension SQLiteTransaction {
    /// Stores the number of this write in the rows of the soups that it has changed.
    ///
    /// - Returns: the changed soups that no longer exist.
    func mark(with numbers: WriteNumbers) throws -> Set<SoupName> {
        if changedSoups.isEmpty { return [] }
        let tables = try catalog().tables
        let update = try statement("UPDATE soup_attrs SET lastWrite = ? WHERE id = ?")
        defer { update.clear() }
        let number = numbers.next()
        for soup in changedSoups {
            guard let table = tables[soup] else { continue }
            update.bind(number, at: 1)
            update.bind(table.number, at: 2)
            try update.run()
        }
        return changedSoups.filter { tables[$0] == nil }
    }
}

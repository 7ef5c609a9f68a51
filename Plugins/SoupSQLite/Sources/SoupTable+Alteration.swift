// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The parts of a soup that are kept when its specs change.
///
/// Column and index are named by the number of their spec, not by its position in the list, so that a spec whose
/// position changes keeps both.
extension SoupTable {
    /// Returns the soup with other specs.
    ///
    /// An unchanged spec keeps its number, and so does a path whose column has the same declared type. The others get
    /// the number of their position if it is free, so that the soup has the same numbers as a newly registered one
    /// where possible.
    func altered(to specs: [IndexSpec]) -> SoupTable {
        var free = Array(self.specs.indices)
        var kept = [Int?](repeating: nil, count: specs.count)
        func keep(where fits: (IndexSpec, IndexSpec) -> Bool) {
            for (position, spec) in specs.enumerated() where kept[position] == nil {
                guard let index = free.firstIndex(where: { fits(self.specs[$0], spec) }) else { continue }
                kept[position] = self.numbers[free.remove(at: index)]
            }
        }
        // Equal specs first: a path may occur twice, and only an equal spec also keeps its index.
        keep { $0 == $1 }
        keep { $0.path == $1.path && $0.kind.columnType != nil && $0.kind.columnType == $1.kind.columnType }
        var taken = Set(kept.compactMap { $0 })
        for position in specs.indices where kept[position] == nil && taken.insert(position).inserted {
            kept[position] = position
        }
        var next = 0
        let numbers = kept.map { number -> Int in
            if let number { return number }
            while !taken.insert(next).inserted { next += 1 }
            return next
        }
        return SoupTable(
            number: number, name: name, specs: specs, numbers: numbers, indexesAreDeferred: indexesAreDeferred)
    }

    /// Returns whether a column is kept with its values.
    func keeps(_ column: IndexColumn) -> Bool {
        columns.contains { $0.name == column.name && $0.path == column.path && $0.type == column.type }
    }

    /// Returns whether the search index has the same columns, in any order.
    func hasSameFullText(as other: SoupTable) -> Bool { Set(fullTextColumns) == Set(other.fullTextColumns) }

    /// The numbers as stored in `soup_attrs`; nil if they equal the positions.
    var writtenNumbers: String? {
        numbers == Array(specs.indices) ? nil : numbers.map(String.init).joined(separator: ",")
    }

    /// Reads the text of ``writtenNumbers``.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for invalid numbers, because a path would use the column of another
    ///   path.
    static func numbers(_ text: String, of count: Int) throws -> [Int] {
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        guard numbers.count == count, Set(numbers).count == count else {
            throw SoupError(
                .storeUnusable, "the store is damaged: \"\(text)\" does not number \(count) index specs",
                hint: "Restore it from a backup, or move it to start with an empty store.")
        }
        return numbers
    }
}

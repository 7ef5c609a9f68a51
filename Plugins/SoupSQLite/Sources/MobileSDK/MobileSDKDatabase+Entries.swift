// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension MobileSDKDatabase {
    /// The IDs that an entry can have: JavaScript reads all of them exactly, and SoupKit can assign greater ones.
    static let ids: ClosedRange<Int64> = 1...9_007_199_254_740_991
    /// The dates that an entry can have, in milliseconds since 1970: up to the year 9999.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Calls `body` with each entry of a soup, in the order of the IDs.
    ///
    /// Only one entry is in memory at a time.
    ///
    /// - Parameter body: receives the entry, or the reason why it cannot be read; an error that it throws ends the
    ///   reading.
    /// - Throws: the error of `body`; ``SoupError`` with `importUnusable` if the file is damaged.
    public func forEachEntry(
        of soup: Soup, _ body: (Result<Entry, UnreadableEntry>) throws -> Void
    ) throws {
        let file = MobileSDKFile(path: url.filePath)
        let text = soup.storesTextsInFiles ? "NULL" : "soup"
        var failure: (any Error)?
        do {
            try queue.read { db in
                let rows = try RawStatement(
                    db, "SELECT id, created, lastModified, \(text) FROM \(soup.table) ORDER BY id")
                defer { rows.clear() }
                var last: Int64 = 0
                while try rows.step() {
                    guard rows.type(0) == .integer, Self.ids.contains(rows.integer(0)), rows.integer(0) > last else {
                        throw file.damaged("\(soup.table) has an entry with the ID \(rows.text(0))")
                    }
                    last = rows.integer(0)
                    let entry = entry(of: soup, in: rows)
                    do {
                        try body(entry)
                    } catch {
                        failure = error
                        return
                    }
                }
            }
        } catch {
            throw file.error(for: error)
        }
        if let failure { throw failure }
    }

    private func entry(of soup: Soup, in row: RawStatement) -> Result<Entry, UnreadableEntry> {
        let id = row.integer(0)
        func fault(_ reason: String) -> Result<Entry, UnreadableEntry> {
            .failure(UnreadableEntry(soup: soup.name, id: id, reason: reason))
        }
        guard let created = row.date(1), let lastModified = row.date(2) else {
            return fault("its dates are not valid: created \(row.text(1)), lastModified \(row.text(2))")
        }
        let bytes: [UInt8]
        if soup.storesTextsInFiles {
            do {
                bytes = try bodies.text(of: id, soup: soup.number)
            } catch {
                return fault("its text is in a file, \(error)")
            }
        } else {
            switch row.type(3) {
            case .text: bytes = Array(row.bytes(3))
            case .null: return fault("it has no text: the column soup is NULL")
            default: return fault("the column soup contains no text")
            }
        }
        do {
            let (stored, hasLocalChanges) = try MobileSDKEntryText.stored(bytes)
            return .success(
                Entry(
                    id: id, created: created, lastModified: lastModified, stored: stored,
                    hasLocalChanges: hasLocalChanges))
        } catch {
            return fault("its text is not a JSON object: \(error)")
        }
    }
}

extension RawStatement {
    /// Returns the date of a column in milliseconds; nil for any other value.
    ///
    /// iOS passes a number with a fraction of 0, which SQLite stores as an integer.
    fileprivate func date(_ column: Int) -> Int64? {
        let value: Int64? =
            switch type(column) {
            case .integer: integer(column)
            case .real: Int64(exactly: real(column).rounded(.down))
            default: nil
            }
        return value.flatMap { MobileSDKDatabase.dates.contains($0) ? $0 : nil }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

extension SoupError {
    /// Converts an error of SQLite: `storeUnusable` if the file is the cause, `tooLong` for a text that is too long,
    /// otherwise `sql`.
    static func sqlite(code: Int32, message: String, file: String? = nil, cause: (any Error)? = nil) -> SoupError {
        let place = file.map { SoupError.Place(file: $0) }
        if code == SQLITE_READONLY | 4 << 8 {
            // SQLITE_READONLY_DBMOVED, a macro that Swift does not import.
            return SoupError(
                .storeUnusable, "another file has replaced that of the store", place: place,
                hint: "Open the store again.", cause: cause)
        }
        let code = code & 0xFF
        if let (reason, hint) = unusable(code) {
            return SoupError(.storeUnusable, "\(reason): \(message)", place: place, hint: hint, cause: cause)
        }
        switch code {
        case SQLITE_TOOBIG:
            return SoupError(
                .tooLong, "longer than the store supports: \(message)", place: place,
                hint:
                    "Store at most 1,000,000,000 bytes in an entry; put longer data into a key-value store or a file.",
                cause: cause)
        case SQLITE_MISUSE:
            var error = SoupError.storeClosed
            error.place = place
            return error
        default:
            return SoupError(.sql, message, place: place, cause: cause)
        }
    }

    /// Returns the reason and the hint of `storeUnusable` for a primary result code; nil for other errors.
    private static func unusable(_ code: Int32) -> (reason: String, hint: String)? {
        switch code {
        case SQLITE_BUSY, SQLITE_LOCKED:
            ("the store is locked", "Close the other process that uses it, or wait until it has finished.")
        case SQLITE_NOTADB:
            ("not a database", "Use the path of another file, or move this one to start with an empty store.")
        case SQLITE_CORRUPT:
            ("the store is damaged", "Restore it from a backup, or move it to start with an empty store.")
        case SQLITE_READONLY, SQLITE_PERM:
            ("the store cannot be written", "Check the permissions of the file and of its folder.")
        case SQLITE_CANTOPEN:
            (
                "the store cannot be opened",
                "Check that the folder exists, and that it and the file can be written."
            )
        case SQLITE_FULL, SQLITE_IOERR:
            ("the disk failed", "Check the free space and the state of the disk.")
        case SQLITE_ABORT:
            (
                "the store is suspended",
                "Resume it when the app returns to the foreground, and repeat the work."
            )
        default: nil
        }
    }

    /// Returns the error for Smart SQL that SQLite rejects; the fault is in the text, so that the error names no file.
    static func refused(_ reason: String, at place: SoupError.Place?) -> SoupError {
        SoupError(.sql, "the Smart SQL was refused: \(reason)", place: place, hint: hint(for: reason))
    }

    private static func hint(for reason: String) -> String? {
        if reason.hasPrefix("unable to use function MATCH") {
            return "Search full text like this: {soup:_soupEntryId} in "
                + "(select rowid from {soup}_fts where {soup}_fts match '{soup:path}:word')."
        }
        let ambiguous = "ambiguous column name: "
        if reason.utf8.starts(with: "\(ambiguous){".utf8) {
            let reference = reason.dropFirst(ambiguous.count)
            let soup = reference.prefix { $0 != ":" } + "}"
            return "Write the soup or its alias before the reference, as in \(soup).\(reference)."
        }
        if reason.utf8.starts(with: ambiguous.utf8) {
            let column = reason.dropFirst(ambiguous.count)
            return "Write the alias of a table before the column, as in a.\(column)."
        }
        let names = ["no such table: ", "no such column: "]
        guard
            let name = names.lazy.compactMap({ reason.utf8.starts(with: $0.utf8) ? reason.dropFirst($0.count) : nil })
                .first
        else { return nil }
        if name.utf8.first == UInt8(ascii: "{"), let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) {
            return "Add the soup \(name[..<colon])} after FROM or JOIN."
        }
        return "Write soups and their paths in braces: {soup}, {soup:path}."
    }

    /// Converts any error of a transaction to the error for callers of a store.
    static func fromStore(_ error: any Error, file: String) -> any Error {
        if var error = error as? SoupError, error.code == .storeUnusable, error.place?.file == nil {
            // The code that detected the error does not know the file.
            var place = error.place ?? SoupError.Place()
            place.file = file
            error.place = place
            return error
        }
        guard let error = error as? DatabaseError else { return error }
        if error.resultCode == .SQLITE_INTERRUPT { return CancellationError() }
        return sqlite(
            code: error.extendedResultCode.rawValue, message: error.message ?? "\(error.resultCode)", file: file,
            cause: error)
    }

    /// Returns whether the same work would always fail again, because the cause is its text or its data, and not the
    /// file, the disk or the memory.
    static func isPermanent(_ error: any Error) -> Bool {
        if error is JSONError { return true }
        guard let error = error as? SoupError, error.code != .storeUnusable else { return false }
        guard let cause = error.cause as? DatabaseError else { return true }
        let permanent: [ResultCode] = [
            .SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_RANGE,
        ]
        return permanent.contains(cause.resultCode)
    }

    /// Returns the error of failed work that is still in the list, because removing it failed as well.
    static func stillPending(_ error: any Error, because second: any Error) -> SoupError {
        var pending = error as? SoupError ?? SoupError(.storeUnusable, "\(error)", cause: error)
        let reason = (second as? SoupError)?.message ?? "\(second)"
        pending.message += "; the operation could not be removed from the list of pending operations either (\(reason))"
        pending.hint = "Open the store again to repeat the operation; the soup has not changed."
        return pending
    }

    /// Returns whether a write failed because another process was writing.
    static func isBusy(_ error: any Error) -> Bool {
        ((error as? SoupError)?.cause as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }
}

extension DatabaseError {
    /// Whether the text of a statement is the cause of the error, and not the file.
    var isAboutText: Bool { resultCode == .SQLITE_ERROR || resultCode == .SQLITE_MISUSE }
}

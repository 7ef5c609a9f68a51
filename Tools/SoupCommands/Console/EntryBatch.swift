// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// Applies an operation to entries one after the other, and continues after an entry that fails.
struct EntryBatch {
    let console: Console
    /// The past participle of the operation, for the line that counts the failed entries.
    let operation: String

    /// The errors that concern a single entry; any other error would occur for the remaining entries, too.
    private static let entryErrors: Set<SoupError.Code> = [
        .differentRecord, .entryDamaged, .entryNotFound, .hasChildren, .noSyncedCopy, .notInConflict, .notSupported,
        .notUnknown,
        .outcomeUnknown, .syncAlreadyRunning,
    ]

    /// Applies the operation to each item, and reports each item that fails with its error.
    ///
    /// - Throws: `ExitCode` 1 after the last item if any failed; at once, an error that concerns all entries.
    func forEach<Item>(_ items: [Item], apply: (Item) async throws -> Void) async throws {
        var failed = 0
        for item in items {
            do {
                try await apply(item)
            } catch let error as SoupError where Self.entryErrors.contains(error.code) {
                console.report(error)
                failed += 1
            }
        }
        guard failed > 0 else { return }
        if items.count > 1 { console.info("\(failed) of \(items.count) entries could not be \(operation)") }
        throw ExitCode(1)
    }
}

#endif

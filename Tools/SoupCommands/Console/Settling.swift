// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// Settles what waits for an answer, one after the other, and goes on behind what is refused.
struct Settling {
    let console: Console
    /// What is done with each item, for the line about those that were refused.
    var done = "settled"

    /// What says that an entry cannot be settled as it is; anything else would be in the way of all.
    private static let refusals: Set<SoupError.Code> = [
        .differentRecord, .entryDamaged, .entryNotFound, .hasChildren, .noSyncedCopy, .notInConflict, .notSupported,
        .notUnknown,
        .outcomeUnknown, .syncAlreadyRunning,
    ]

    /// Does something with each item, and reports those that are refused, each with its reason.
    ///
    /// - Throws: `ExitCode` 1 in the end when something was refused; at once what is in the way of all.
    func each<Item>(_ items: [Item], _ settle: (Item) async throws -> Void) async throws {
        var refused = 0
        for item in items {
            do {
                try await settle(item)
            } catch let error as SoupError where Self.refusals.contains(error.code) {
                console.fail(error)
                refused += 1
            }
        }
        guard refused > 0 else { return }
        if items.count > 1 { console.remark("\(refused) of \(items.count) entries could not be \(done)") }
        throw ExitCode(1)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Stops a cleaning that would remove most of what a sync down brought, unless it was confirmed.
///
/// Responses of a server can be well formed and still be those of a user who lost a permission, or of another org.
struct GhostBrake: Sendable {
    /// The sync's name, or its ID.
    var sync: String
    var isConfirmed: Bool

    /// So many entries may always be removed.
    static let harmless = 20

    init(_ state: SyncState, isConfirmed: Bool) {
        sync = state.name ?? "\(state.id)"
        self.isConfirmed = isConfirmed || state.definition.options.removesAllGhosts
    }

    /// Whether a cleaning must be confirmed that removes so many clean entries of a soup and leaves so many.
    static func stops(removed: Int, remaining: Int) -> Bool { removed > harmless && removed > remaining }

    /// Checks what a cleaning has removed from each soup, before its transaction ends.
    ///
    /// - Parameter remaining: the clean entries that the sync brought into a soup and that are still there.
    /// - Throws: ``SoupError`` with `tooManyGhosts`, and the transaction must not be committed.
    func check(_ removed: [SoupName: Int], remaining: (SoupName) throws -> Int) throws {
        guard !isConfirmed else { return }
        var faults: [String] = []
        for (soup, count) in removed.sorted(by: { $0.key < $1.key }) where count > Self.harmless {
            let rest = try remaining(soup)
            guard Self.stops(removed: count, remaining: rest) else { continue }
            faults.append("\(count) of the \(count + rest) clean entries in soup \"\(soup)\"")
        }
        guard !faults.isEmpty else { return }
        throw SoupError(
            .tooManyGhosts,
            "cleaning the ghosts of sync \"\(sync)\" would remove \(faults.joined(separator: " and ")); nothing was removed",
            hint:
                "Check that the server no longer has these records, and that the user may still see all others. To remove "
                + "them, run `soup clean-ghosts \(sync) --all`, pass `all: true` to cleanResyncGhosts, or set "
                + "\"removeAllGhosts\": true in the options of the sync; a store that has the sync already takes a changed "
                + "file with `soup sync \(sync) --renew`, or `redefine`.")
    }
}

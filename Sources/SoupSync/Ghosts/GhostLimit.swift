// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The limit for the number of entries that a ghost cleaning removes without a confirmation.
///
/// A server's responses can be well formed and still belong to a user who lost a permission, or to another org.
struct GhostLimit: Sendable {
    /// The sync's name, or its ID.
    var sync: String
    var isConfirmed: Bool

    /// The number of entries of a soup that a cleaning may always remove.
    static let alwaysAllowed = 20

    init(_ state: SyncState, isConfirmed: Bool) {
        sync = state.name ?? "\(state.id)"
        self.isConfirmed = isConfirmed || state.definition.options.removesAllGhosts
    }

    /// Returns whether a cleaning must be confirmed that removes and keeps these numbers of clean entries of a soup.
    static func isExceeded(removed: Int, remaining: Int) -> Bool { removed > alwaysAllowed && removed > remaining }

    /// Checks the number of entries that a cleaning has removed from each soup, before its transaction ends.
    ///
    /// - Parameter remaining: returns the number of clean entries of the same kind that are still in a soup.
    /// - Throws: ``SoupError`` with `tooManyGhosts`. The transaction must then not be committed.
    func check(_ removed: [SoupName: Int], remaining: (SoupName) throws -> Int) throws {
        guard !isConfirmed else { return }
        var faults: [String] = []
        for (soup, count) in removed.sorted(by: { $0.key < $1.key }) where count > Self.alwaysAllowed {
            let rest = try remaining(soup)
            guard Self.isExceeded(removed: count, remaining: rest) else { continue }
            faults.append("\(count) of the \(count + rest) clean entries in soup \"\(soup)\"")
        }
        guard !faults.isEmpty else { return }
        throw SoupError(
            .tooManyGhosts,
            "cleaning the ghosts of sync \"\(sync)\" would remove \(faults.joined(separator: " and ")); nothing was removed",
            hint:
                "Check that the server no longer has these records, and that the user may still see all others. Then confirm "
                + "the cleaning: run `soup clean-ghosts \(sync) --all`, or pass `all: true` to cleanResyncGhosts. To confirm "
                + "all future cleanings, set \"removeAllGhosts\": true in the options of the sync, and run "
                + "`soup sync \(sync) --renew`.")
    }
}

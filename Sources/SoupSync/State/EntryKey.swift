// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The key of an entry: its soup and its ID.
struct EntryKey: Sendable, Hashable {
    var soup: SoupName
    var id: Int64

    /// The key as text, for the soups of the engine.
    var text: String { "\(id)@\(soup)" }

    init(soup: SoupName, id: Int64) { (self.soup, self.id) = (soup, id) }

    /// Reads ``text``; `nil` for any other value.
    init?(_ text: String) {
        let levels = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard levels.count == 2, let id = Int64(levels[0]) else { return nil }
        self.init(soup: SoupName(String(levels[1])), id: id)
    }
}

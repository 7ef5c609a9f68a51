// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The entries that a sync up run treats specially until its end.
struct UpRunState: Sendable {
    /// Creations with an unknown outcome; they are not sent.
    var blocked: Set<EntryKey> = []
    /// Creations of earlier runs that are sent again although the server may have them.
    ///
    /// They keep their in-flight marks until the server confirms them.
    var sentAgain: Set<EntryKey> = []
    /// Entries that were pushed again as creations; this happens at most once per entry.
    var recreated: Set<EntryKey> = []
    /// Entries that were merged with the server's version; this happens at most once per entry.
    var merged: Set<EntryKey> = []
    /// Entries whose changes the server refused because of their version, and that were not merged since.
    var refused: Set<EntryKey> = []
    /// Entries whose existence on the server was checked: those recreated, or below such an entry.
    var verified: Set<EntryKey> = []
    /// Entries among these that exist without local changes and keep their parent; a sync down fetches them.
    var independent: Set<EntryKey> = []
    /// Deletions that were removed from their trees, and are sent as trees of their own.
    var separateDeletions: Set<EntryKey> = []
    /// The places at which the soups have children in the trees of other sync ups.
    var otherTrees: [SoupName: [TreePlace]] = [:]
    /// The trees and the soups of all sync ups, in which records can refer to those of this run.
    var pushedLayouts: [RecordLayout] = []
    /// The entries that refer to creations of this run, by the local IDs of the creations.
    var referrers: [String: Set<EntryKey>] = [:]
    /// Texts that look like local IDs but are none of any entry.
    var notReferences: Set<String> = []
    /// The roots of trees that are sent without references to records that themselves wait for them.
    var brokenCycles: Set<EntryKey> = []
    /// The local IDs that were replaced by the server's since the waiting trees were last looked at.
    var replacedIds: Set<String> = []
}

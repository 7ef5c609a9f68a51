// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A writer that updates the children of records to the new IDs of their parents, and other references to the records,
/// inside one transaction.
struct Relinker {
    let layout: RecordLayout
    /// The places at which the soups have children in the trees of other sync ups.
    let otherTrees: [SoupName: [TreePlace]]
    /// The entries that refer to creations, by the local IDs of the creations.
    let referrers: [String: Set<EntryKey>]
    let writer: any StoreWriter
    let keepsSyncedCopies: Bool

    private var replaced: [ReplacedIds.Change] = []
    private var links: [EntryKey: Link] = [:]
    /// The versions of the entries before and after their references were replaced.
    private var versions: [EntryKey: (before: Int64, after: Int64)] = [:]

    init(
        layout: RecordLayout, otherTrees: [SoupName: [TreePlace]] = [:],
        referrers: [String: Set<EntryKey>] = [:], writer: any StoreWriter, keepsSyncedCopies: Bool
    ) {
        self.layout = layout
        self.otherTrees = otherTrees
        self.referrers = referrers
        self.writer = writer
        self.keepsSyncedCopies = keepsSyncedCopies
    }

    /// The new parent ID of a creation that was sent with a temporary one.
    ///
    /// The engine itself made this change. It is not a local edit to push, because the server already has the child
    /// under this parent.
    private struct Link {
        var field: String
        var old: String
        var new: JSONText
        /// The `version` of the entry before that write, and after it.
        var before: Int64
        var after: Int64

        /// Returns the sent record as the server has it.
        func record(_ sent: JSONText) -> JSONText {
            guard sent[JSONPath(field)]?.idText == old else { return sent }
            return RecordMerge.overlay(.object([(name: field, value: new)]), over: sent)
        }

        func version(_ version: Int64) -> Int64 { version == before ? after : version }
    }

    /// The former IDs of the records that got a new one.
    var replacedIds: Set<String> { Set(replaced.map(\.old)) }

    /// Updates the children of a record, and the other references to it, to its new ID, and records the change for
    /// entries that an app saves later.
    mutating func relink(_ record: PushRecord, to id: String) throws {
        let isParent = !layout.children(of: record.level).isEmpty
        let others = otherTrees[record.key.soup] ?? []
        guard let old = record.id, id != old, isParent || !others.isEmpty || LocalId.isLocal(old) else { return }
        replaced.append(ReplacedIds.Change(soup: record.key.soup, old: old, new: id))
        try relinkChildren(at: TreePlace(layout: layout, level: record.level), from: old, to: id) { _ in true }
        // In the trees of other sync ups, only children with local changes are updated: the server has the others under
        // the old ID, and this sync does not push them.
        for place in others { try relinkChildren(at: place, from: old, to: id) { $0.flags.local } }
        for key in referrers[old] ?? [] { try relinkReferences(in: key, from: old, to: id) }
    }

    private mutating func relinkReferences(in key: EntryKey, from old: String, to id: String) throws {
        // The entry may have been pushed before, without a field that the sync does not send.
        guard let entry = try writer.retrieve([key.id], from: key.soup).first else { return }
        let fields = entry.stored.localReferences(except: nil).filter { $0.id == old }.map(\.field)
        guard !fields.isEmpty else { return }
        let stamp = try fields.reduce(RecordBatch.Stamp()) { stamp, field in
            stamp.setting(field, try writer.idValue(id, at: field, in: key.soup))
        }
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
        let after = try writer.retrieve([key.id], from: key.soup).first?.version ?? entry.version
        let known = versions[key].flatMap { $0.after == entry.version ? $0 : nil }
        versions[key] = (before: known?.before ?? entry.version, after: after)
    }

    /// Returns a tree that was sent, with the versions that its entries have if only references were replaced since.
    ///
    /// These references are in fields that the push does not send, so the entries do not count as edited.
    func withRelinkedVersions(_ tree: PushTree) -> PushTree {
        guard !versions.isEmpty else { return tree }
        var tree = tree
        tree.updateRecords { record in
            guard let version = versions[record.key], version.before == record.version else { return }
            record.version = version.after
        }
        return tree
    }

    private mutating func relinkChildren(
        at place: TreePlace, from old: String, to id: String, where isIncluded: (SoupEntry) -> Bool
    ) throws {
        let reader = TreeReader(layout: place.layout)
        for position in place.layout.children(of: place.level) {
            let level = place.layout.levels[position]
            guard let field = level.parentIdField else { continue }
            let new = try writer.idValue(id, at: field, in: level.soup)
            for entry in try reader.children(of: old, level: level, in: writer) where isIncluded(entry) {
                let key = EntryKey(soup: level.soup, id: entry.id)
                _ = try writer.stamp(
                    [EntryStamp(id: key.id, stamp: RecordBatch.Stamp().setting(field, new))], in: key.soup)
                guard entry.flags.local else { continue }
                let after = try writer.retrieve([entry.id], from: key.soup).first?.version ?? entry.version
                let link = Link(field: field, old: old, new: new, before: entry.version, after: after)
                try save(link, of: entry, key)
            }
        }
    }

    /// - Parameter entry: the entry before the change.
    private mutating func save(_ link: Link, of entry: SoupEntry, _ key: EntryKey) throws {
        if entry.flags.created {
            links[key] = link
        } else if keepsSyncedCopies, LocalId.isLocal(link.old),
            let copy = try writer.syncedCopies(of: [entry.id], in: key.soup)[entry.id]
        {
            try writer.setSyncedCopies([entry.id: link.record(copy)], in: key.soup)
        }
    }

    /// Returns a creation as it was sent, but with the parent's new ID.
    func relinked(_ record: PushRecord) -> PushRecord {
        guard let link = links[record.key] else { return record }
        var record = record
        record.version = link.version(record.version)
        record.record = link.record(record.record)
        return record
    }

    /// Saves the replaced IDs, and updates the in-flight marks of children.
    func finish() throws {
        try ReplacedIds.add(replaced, writer)
        guard !links.isEmpty else { return }
        let marks = try InFlightCreates.marks(of: Set(links.keys.map(\.soup)), in: writer)
        try InFlightCreates.set(
            marks.compactMap { mark in
                guard let link = links[mark.key] else { return nil }
                var mark = mark
                mark.version = link.version(mark.version)
                mark.record = mark.record.map(link.record)
                return mark
            }, in: writer)
    }
}

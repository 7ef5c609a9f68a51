// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A reader of the changes to push, in their current state in the store.
struct TreeReader: Sendable {
    let layout: RecordLayout
    /// Creations with an unknown outcome; they are not read, whatever their flags are.
    var blocked: Set<EntryKey> = []
    /// Clean children that do not get the new ID of a parent to be created, because another user has changed them.
    var independent: Set<EntryKey> = []
    /// Whether to include unchanged children.
    var readsUnchangedChildren = false
    /// Whether updates contain the last synced version.
    var readsBases = false
    /// Whether the store keeps synced copies.
    var keepsSyncedCopies = false

    /// The result of reading an entry.
    enum Found: Sendable {
        case tree(PushTree)
        /// The entry was created and deleted locally; it is removed without a request.
        case localOnly(PushRecord)
        /// The entry does not exist, or has nothing to push.
        case nothing
        /// The entry's text is unreadable, or it is a child without a parent that is no longer to be deleted.
        case failed(PushFailure)

        var pending: Pending {
            switch self {
            case .failed(let failure): .failed(failure)
            case .tree(let tree): .tree(tree.root.kind)
            case .localOnly: .localOnly
            case .nothing: .nothing
            }
        }
    }

    private var root: RecordLayout.Level { layout.levels[0] }

    /// The local changes of the soups of a layout.
    struct Changes: Sendable {
        /// The roots of the trees to push, level by level, in the order of their creation.
        var roots: [EntryKey]
        /// The changed children without a record of the first level above them in the store.
        var rootless: [PushRecord] = []
        /// Those of them that cannot be pushed.
        var orphans: [PushRecord] = []
    }

    /// Returns the local changes.
    ///
    /// Each change belongs to a tree below a record of the first level. A deletion needs no parent: if such a record is
    /// not in the store, the root of the tree is the highest deleted record among the change and those above it.
    func changes(in reader: any StoreReader) throws -> Changes {
        var changes = Changes(
            roots: try reader.dirtyIds(in: root.soup).map { EntryKey(soup: root.soup, id: $0) })
        guard layout.isTree else { return changes }
        var roots = Set(changes.roots)
        var ancestorLookup = AncestorLookup(layout: layout, reader: reader, findsRoots: true)
        for (position, level) in layout.levels.enumerated() where level.parentIdField != nil {
            try reader.forEachDirty(in: level.soup) { entry in
                let ancestors = try ancestorLookup.ancestors(of: entry, level: position)
                if let top = ancestors.last, layout.levels[top.level].parentIdField == nil, let id = top.entryId {
                    roots.insert(EntryKey(soup: layout.levels[top.level].soup, id: id))
                    return
                }
                let key = EntryKey(soup: level.soup, id: entry.id)
                guard let kind = entry.flags.change, !blocked.contains(key) else { return }
                let child = record(entry, kind, level: position, isDirty: true)
                changes.rootless.append(child)
                if let root = highestDeletion(above: entry, ancestors) ?? (kind == .delete ? key : nil) {
                    roots.insert(root)
                } else {
                    changes.orphans.append(child)
                }
            }
        }
        let order = layout.levels.enumerated().map { ($1.soup, $0) }
        let positions = Dictionary(order, uniquingKeysWith: { first, _ in first })
        changes.roots = roots.sorted { (positions[$0.soup] ?? 0, $0.id) < (positions[$1.soup] ?? 0, $1.id) }
        return changes
    }

    /// Returns the highest deleted record above a child that is pushed with that record.
    private func highestDeletion(above child: SoupEntry, _ ancestors: [AncestorLookup.Ancestor]) -> EntryKey? {
        for ancestor in ancestors.reversed() where ancestor.flags.change == .delete {
            let key = ancestor.entryId.map { EntryKey(soup: layout.levels[ancestor.level].soup, id: $0) }
            // A record that was never on the server is removed only with children that were not there either.
            if let key, !blocked.contains(key), !ancestor.flags.isLocalOnly || child.flags.created { return key }
        }
        return nil
    }

    /// The kind of change of an entry, according to its flags.
    enum Pending: Sendable, Hashable {
        case tree(RecordChange.Kind)
        case localOnly
        case nothing
        case failed(PushFailure)
    }

    /// Returns the kind of change of each root by its flags, without reading the entries below it.
    func pending(_ roots: [EntryKey], in reader: any StoreReader) throws -> [Pending] {
        let entries = try entries(roots, in: reader)
        return roots.map { key in entries[key].map { pending(of: $0.entry, level: $0.level) } ?? .nothing }
    }

    /// Returns the entries with the positions of their levels.
    private func entries(
        _ keys: [EntryKey], in reader: any StoreReader
    ) throws -> [EntryKey: (entry: SoupEntry, level: Int)] {
        var entries: [EntryKey: (entry: SoupEntry, level: Int)] = [:]
        for (soup, keys) in Dictionary(grouping: keys, by: \.soup) {
            guard let level = layout.levels.firstIndex(where: { $0.soup == soup }) else { continue }
            for entry in try reader.retrieve(keys.map(\.id), from: soup) {
                entries[EntryKey(soup: soup, id: entry.id)] = (entry, level)
            }
        }
        return entries
    }

    private func pending(of entry: SoupEntry, level position: Int) -> Pending {
        let (flags, level) = (entry.flags, layout.levels[position])
        if let failure = entry.failure(in: level.soup) { return .failed(failure) }
        let isChild = level.parentIdField != nil
        guard !blocked.contains(EntryKey(soup: level.soup, id: entry.id)),
            let kind = flags.change ?? (layout.isTree && !isChild ? RecordChange.Kind.none : nil)
        else { return .nothing }
        if flags.isLocalOnly { return .localOnly }
        return isChild && kind != .delete ? .failed(.noParent) : .tree(kind)
    }

    /// Returns the changes to push for each of the roots.
    func read(_ roots: [EntryKey], in reader: any StoreReader) throws -> [Found] {
        let entries = try entries(roots, in: reader)
        let bases =
            readsBases
            ? try syncedRecords(of: roots.filter { $0.soup == root.soup }.map(\.id), level: root, in: reader) : [:]
        return try roots.map { key in
            guard let (entry, position) = entries[key] else { return .nothing }
            switch pending(of: entry, level: position) {
            case .nothing: return .nothing
            case .failed(let failure): return .failed(failure)
            case .localOnly: return .localOnly(record(entry, .delete, level: position, isDirty: true))
            case .tree(let kind):
                // A root of another level is a deletion, which has no base.
                let base = position == 0 ? bases[key.id] : nil
                let root = record(entry, kind, level: position, isDirty: kind != .none, base: base)
                var tree = PushTree(root: root)
                try addChildren(of: root, to: &tree, reader)
                return .tree(tree)
            }
        }
    }

    /// Adds the children of a record, level by level; children that are only parents of others have the kind `none`.
    private func addChildren(of parent: PushRecord, to tree: inout PushTree, _ reader: any StoreReader) throws {
        for position in layout.children(of: parent.level) {
            // The server deletes the children with their parent, so they are not sent.
            guard !(parent.kind == .delete && layout.relationship(of: position) == .masterDetail) else { continue }
            let level = layout.levels[position]
            let entries = try children(of: parent.id, level: level, in: reader)
            let updated = entries.filter { $0.flags.change == .update }.map(\.id)
            let bases = try syncedRecords(of: updated, level: level, in: reader)
            for entry in entries where !blocked.contains(EntryKey(soup: level.soup, id: entry.id)) {
                if entry.flags.isLocalOnly {
                    tree.localOnlyChildren.append(record(entry, .delete, level: position, isDirty: true))
                    continue
                }
                let child = child(entry, of: parent, level: position, base: bases[entry.id])
                let count = tree.children.count
                tree.children.append(child)
                try addChildren(of: child, to: &tree, reader)
                guard child.kind == .none, tree.children.count == count + 1 else { continue }
                tree.children.removeLast()
                if readsUnchangedChildren { tree.unchangedChildren.append(child) }
            }
        }
    }

    private func child(_ entry: SoupEntry, of parent: PushRecord, level position: Int, base: JSONText?) -> PushRecord {
        let level = layout.levels[position]
        let change = entry.flags.change
        // If the parent gets its ID in this push, the child must be updated to it.
        let getsNewParentID = parent.kind == .create && !independent.contains(EntryKey(soup: level.soup, id: entry.id))
        let kind = change ?? (getsNewParentID ? .update : .none)
        // A child without local changes that gets its parent's new ID has no other change to send.
        let known = change == nil ? (getsNewParentID ? entry.recordForServer : nil) : readsBases ? base : nil
        var child = record(entry, kind, level: position, isDirty: change != nil, base: known)
        child.parent = parent.key
        if let base, let field = level.parentIdField {
            child.isMoved = base[JSONPath(field)]?.idText != entry[JSONPath(field)]?.idText
        }
        return child
    }

    /// Returns the children of a record in the store, in the order of their creation.
    ///
    /// Damaged children are left out, because they can be neither pushed nor written.
    func children(
        of id: String?, level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard let id, let parentIdField = level.parentIdField else { return [] }
        return try reader.allEntries(.exact(level.soup, JSONPath(parentIdField), equals: .string(id), pageSize: 1000))
            .filter { $0.failure(in: level.soup) == nil }
            .sorted { $0.id < $1.id }
    }

    private func syncedRecords(
        of ids: [Int64], level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [Int64: JSONText] {
        guard readsBases || keepsSyncedCopies, !ids.isEmpty else { return [:] }
        return try reader.syncedCopies(of: ids, in: level.soup).mapValues {
            SoupEntry(id: 0, version: 0, stored: $0).recordForServer
        }
    }

    /// Returns an entry as a record of a tree.
    func record(
        _ entry: SoupEntry, _ kind: RecordChange.Kind, level position: Int, isDirty: Bool, base: JSONText? = nil
    ) -> PushRecord {
        let level = layout.levels[position]
        return PushRecord(
            key: EntryKey(soup: level.soup, id: entry.id), level: position, kind: kind, version: entry.version,
            id: entry[JSONPath(level.idField)]?.idText.flatMap { $0.isEmpty ? nil : $0 },
            localTime: level.time(of: entry.stored), isDirty: isDirty,
            record: entry.recordForServer, base: kind == .update ? base : nil)
    }
}

extension SoupEntry {
    /// The record without the flags and notes that SoupKit manages.
    var recordForServer: JSONText {
        var projected = JSONProjected()
        guard
            (try? JSONScanner.project(
                Self.ownFields, from: stored.bytes.span, in: 0..<stored.bytes.count, into: &projected)) != nil
        else { return stored }
        let members = projected.fields.filter { !$0.isMissing }.map { $0.memberStart..<$0.end }
        guard !members.isEmpty else { return stored }
        var output: [UInt8] = []
        output.reserveCapacity(stored.bytes.count)
        JSONSplice.append(stored.bytes, removing: members, adding: [], to: &output)
        return JSONText(trusted: output[...])
    }

    private static let ownFields = JSONProjection(
        (EntryField.localFlags + [EntryField.syncId, EntryField.lastError]).map { JSONPath($0) })
}

extension Sequence<TreeReader.Found> {
    /// The trees among the results, in order.
    var trees: [PushTree] { compactMap { if case .tree(let tree) = $0 { tree } else { nil } } }
}

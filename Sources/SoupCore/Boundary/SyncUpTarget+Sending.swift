// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SyncUpTarget {
    /// Returns the record of a change as a server accepts it: without the members that only the server sets.
    ///
    /// These are the ID, which is a temporary one in a creation, the modification date and the version, which are those
    /// of the last sync, and `attributes` if it contains only the object and the URL of a record. For a change with a
    /// base, which `MERGE` passes, the record contains only the members that differ from it, so that changes of other
    /// users to the other fields stay; a member that was removed locally is null.
    public func record(toSend change: RecordChange) -> JSONText {
        let level = layout?.levels.indices.contains(change.level) == true ? layout?.levels[change.level] : nil
        let fields: [String?] = [
            level?.idField ?? idField, level?.modificationDateField ?? modificationDateField,
            level.map(\.versionField) ?? versionField,
        ]
        let own = Set(fields.compactMap { $0 } + RecordMetadata.names(in: [change.record, change.base]))
        let members = (change.record.members ?? []).filter { !own.contains($0.key) }
        guard let base = change.base?.members else { return .object(members.map { (name: $0.key, value: $0.value) }) }
        let known = Dictionary(base.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let names = Set(members.map(\.key))
        let changed = members.filter { member in
            known[member.key].map { $0.bytes != member.value.bytes && $0.value != member.value.value } ?? true
        }
        let removed = base.filter { !own.contains($0.key) && !names.contains($0.key) && $0.value != .null }
        return .object(
            changed.map { (name: $0.key, value: $0.value) } + removed.map { (name: $0.key, value: .null) })
    }
}

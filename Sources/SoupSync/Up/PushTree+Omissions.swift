// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushTree {
    /// Leaves members out of a record that is to be sent; an update sends them later.
    mutating func omit(_ fields: Set<String>, of key: EntryKey) { change(key) { $0.omit(fields) } }

    /// Leaves members out of a record that is to be sent, permanently.
    ///
    /// - Parameter base: the last synced version of an update, whose values the entry gets back.
    mutating func drop(_ fields: Set<String>, of key: EntryKey, base: JSONText?) {
        change(key) { $0.drop(fields, base: base) }
    }

    /// Lets the entries of incomplete records count as edited after the push, so that they stay changed.
    mutating func keepIncompleteRecords() {
        for record in incompleteRecords {
            change(record.key) { ($0.incompleteVersion, $0.version) = ($0.version, PushRecord.noVersion) }
        }
    }

    private mutating func change(_ key: EntryKey, _ body: (inout PushRecord) -> Void) {
        if root.key == key { body(&root) }
        for position in children.indices where children[position].key == key { body(&children[position]) }
    }
}

extension PushRecord {
    /// A version that no entry has.
    static let noVersion: Int64 = -1

    /// Leaves members out, so that the push does not change their values on the server.
    fileprivate mutating func omit(_ fields: Set<String>) {
        guard !fields.isEmpty else { return }
        omitted.formUnion(fields)
        remove(fields)
    }

    fileprivate mutating func drop(_ fields: Set<String>, base: JSONText?) {
        guard !fields.isEmpty else { return }
        dropped.formUnion(fields)
        if let values = base?.members {
            for field in fields.sorted() {
                restored = restored.setting(field, values.first { $0.key == field }?.value)
            }
        }
        remove(fields)
    }

    private mutating func remove(_ fields: Set<String>) {
        // A member that only the base has would be sent as null.
        let known = (base?.members ?? []).filter { fields.contains($0.key) }
        let rest = (record.members ?? []).filter { !fields.contains($0.key) }
        record = .object((rest + known).map { (name: $0.key, value: $0.value) })
    }
}

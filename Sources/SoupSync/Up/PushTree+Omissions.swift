// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension PushTree {
    /// Lets the entries of incomplete records count as edited after the push, so that they stay changed.
    mutating func keepIncompleteRecords() {
        guard !incompleteRecords.isEmpty else { return }
        updateRecords { record in
            guard !record.omitted.isEmpty else { return }
            (record.incompleteVersion, record.version) = (record.version, PushRecord.noVersion)
        }
    }

    /// Passes each record that is to be sent, to be changed.
    mutating func updateRecords(_ update: (inout PushRecord) -> Void) {
        update(&root)
        for position in children.indices { update(&children[position]) }
    }
}

extension PushRecord {
    /// A version that no entry has.
    static let noVersion: Int64 = -1

    /// Leaves members out of a record that is to be sent; an update sends them later.
    mutating func omit(_ fields: Set<String>) {
        guard !fields.isEmpty else { return }
        omitted.formUnion(fields)
        remove(fields)
    }

    /// Leaves members out of a record that is to be sent, permanently.
    ///
    /// - Parameter base: the last synced version of an update, whose values the entry gets back.
    mutating func drop(_ fields: Set<String>, base: JSONText?) {
        guard !fields.isEmpty else { return }
        dropped.formUnion(fields)
        if let values = base?.members {
            for field in fields.sorted() {
                restored = restored.setting(field, values.first { $0.key == field }?.value)
            }
        }
        remove(fields)
    }

    /// Removes members, so that the push does not change their values on the server.
    private mutating func remove(_ fields: Set<String>) {
        // A member that only the base has would be sent as null.
        let known = (base?.members ?? []).filter { fields.contains($0.key) }
        let rest = (record.members ?? []).filter { !fields.contains($0.key) }
        record = .object((rest + known).map { (name: $0.key, value: $0.value) })
    }
}

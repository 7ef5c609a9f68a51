// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fields of a record that a push sends.
struct FieldSelection: Sendable {
    /// A member and its value.
    typealias Member = (name: String, value: JSONText)

    /// The list for creations and that for updates; nil for all fields.
    let create: [String]?
    let update: [String]?
    /// The fields that belong to the server.
    let own: Set<String>
    /// The field of the ID, if the target's list for updates names it: some services need the ID in the body.
    let sentId: String?

    init(_ configuration: PushConfiguration, of service: Service, faults: inout ConfigurationFaults) {
        create = configuration.createFieldlist ?? configuration.fieldlist
        update = configuration.updateFieldlist ?? configuration.fieldlist
        own = Set([service.id.field, service.dateField, service.version?.field].compactMap { $0 })
        sentId = update?.contains(service.id.field) == true ? service.id.field : nil
        for (list, key) in [
            (configuration.fieldlist, "fieldlist"), (configuration.createFieldlist, "createFieldlist"),
            (configuration.updateFieldlist, "updateFieldlist"),
        ] {
            for (index, name) in (list ?? []).enumerated() where name.isEmpty || name.contains(".") {
                faults.add(
                    SoupError(
                        .badConfiguration, "\"\(name.excerpt(100))\" is not a field",
                        place: SoupError.Place(path: "\(key)[\(index)]"),
                        hint: "Write the name of a top-level field; objects are sent whole."))
            }
        }
    }

    /// The list for a kind of change.
    func list(for kind: RecordChange.Kind, _ options: SyncOptions) -> [String]? {
        (kind == .create ? create : update) ?? options.fieldlist
    }

    /// Returns a record of the server with the fields that a push can send, and those that belong to the server.
    ///
    /// A deleted entry may be updated or created again.
    func comparable(_ record: JSONText, for kind: RecordChange.Kind, _ options: SyncOptions) -> JSONText {
        let kinds: [RecordChange.Kind] = kind == .delete ? [.create, .update] : [kind]
        let lists = kinds.compactMap { list(for: $0, options) }
        guard lists.count == kinds.count else { return record }
        let names = own.union(lists.joined())
        return .object(
            (record.members ?? []).filter { names.contains($0.key) }.map { (name: $0.key, value: $0.value) })
    }

    /// Returns the members to send: without local fields, and without those of the server except ``sentId``.
    ///
    /// - Throws: `PushFailure` for a value that is the temporary ID of another record.
    func members(of change: RecordChange, _ options: SyncOptions) throws(PushFailure) -> [Member] {
        let list = list(for: change.kind, options).map { Set($0) }
        var members: [Member] = []
        for (name, value) in change.record.members ?? [] {
            let isId = change.kind == .update && name == sentId
            guard isId || isSent(name, value, in: list), !members.contains(where: { $0.name == name }) else { continue }
            guard !Self.isTemporaryId(value) else {
                throw PushFailure(
                    code: "LOCAL_REFERENCE",
                    message: "\"\(name)\" refers to a record that the server does not have yet",
                    fields: [name], retry: .inLaterRun)
            }
            members.append((name, value))
        }
        return members
    }

    /// Returns the members whose values differ from those of the last synced version, with ``sentId`` if there are
    /// some, and the names of removed ones.
    func changes(of change: RecordChange, _ options: SyncOptions) throws(PushFailure) -> (
        set: [Member], removed: [String]
    ) {
        let members = try members(of: change, options)
        guard let base = change.base?.members else { return (members, []) }
        let list = list(for: change.kind, options).map { Set($0) }
        let present = Set((change.record.members ?? []).map(\.key))
        let set = members.filter { member in
            base.first { $0.key == member.name }.map { $0.value.value != member.value.value } ?? true
        }
        let removed = base.filter { isSent($0.key, $0.value, in: list) && !present.contains($0.key) }.map(\.key)
        guard !set.isEmpty || !removed.isEmpty else { return ([], []) }
        return (members.filter { $0.name == sentId } + set.filter { $0.name != sentId }, removed)
    }

    private func isSent(_ name: String, _ value: JSONText, in list: Set<String>?) -> Bool {
        guard !own.contains(name), !name.hasPrefix("__"), !name.hasPrefix("_soup") else { return false }
        // SoupKit itself adds `attributes` with the type to new entries. A list may name such a member of the service.
        return list?.contains(name) ?? (name != RecordMetadata.name || !RecordMetadata.isMetadata(value))
    }

    /// Whether a value is a temporary ID: the prefix and digits, also hexadecimal ones.
    private static func isTemporaryId(_ value: JSONText) -> Bool {
        guard let text = value.string, LocalId.isLocal(text) else { return false }
        let digits = text.utf8.dropFirst(LocalId.prefix.utf8.count)
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fields of an object that the user cannot write, from the description in the soup of ``MetadataCache``.
struct WritableFields: Sendable {
    /// The permissions of a field.
    struct Field: Sendable, Hashable {
        var isCreateable: Bool
        var isUpdateable: Bool
        /// Whether the server computes the value, as for formulas and auto-numbers.
        var isComputed: Bool
        /// Whether the values are IDs of records.
        var isReference = false
    }

    /// The fields by name in lowercase, because the server ignores the case; a field that is missing here is unknown
    /// and is sent.
    private let fields: [String: Field]

    /// Reads the description of an object; a field without permissions is left out.
    init(_ description: JSONValue) {
        var fields: [String: Field] = [:]
        for field in description["fields"]?.arrayValue ?? [] {
            guard let name = field["name"]?.stringValue, let isCreateable = field["createable"]?.boolValue,
                let isUpdateable = field["updateable"]?.boolValue
            else { continue }
            let isComputed = [field["calculated"], field["autoNumber"]].contains(true)
            fields[name.lowercased()] = Field(
                isCreateable: isCreateable, isUpdateable: isUpdateable, isComputed: isComputed,
                isReference: field["type"] == "reference")
        }
        self.fields = fields
    }

    /// Returns whether the values of a field are IDs of records; false if it is unknown.
    func isReference(_ name: String) -> Bool { fields[name.lowercased()]?.isReference ?? false }

    /// The decision about the fields of a change that cannot be written.
    struct Decision: Sendable, Hashable {
        /// The fields that are left out, because nothing is lost by that.
        var omitted: Set<String> = []
        /// The fields that only updates can write, which are sent after the creation.
        var later: Set<String> = []
        /// The fields because of which the server would refuse the change.
        var refused: [String] = []
    }

    /// Returns the decision about a change.
    ///
    /// - Parameters:
    ///   - values: the values that the push would send.
    ///   - base: the values of the last synced version of an update; `nil` if it is unknown.
    ///   - isSentByUpdates: whether updates send a field.
    func decision(
        _ kind: RecordChange.Kind, _ values: [(key: String, value: JSONText)],
        base: [(key: String, value: JSONText)]?, isSentByUpdates: (String) -> Bool = { _ in true }
    ) -> Decision {
        var decision = Decision()
        for (name, value) in values {
            guard let field = fields[name.lowercased()], !(kind == .create ? field.isCreateable : field.isUpdateable)
            else {
                continue
            }
            let known = base.map { base in base.first { $0.key == name }?.value ?? .null }
            if field.isComputed || (kind == .create && value == .null) || known?.value == value.value {
                decision.omitted.insert(name)
            } else if kind == .create, field.isUpdateable, isSentByUpdates(name) {
                decision.later.insert(name)
            } else {
                decision.refused.append(name)
            }
        }
        return decision
    }
}

extension PushPlan {
    /// Returns the object on the server of a record; `nil` if neither the target nor the record names it.
    func objectType(of record: PushRecord) -> String? {
        objectTypes[record.level][record.kind] ?? record.record.objectType
    }

    /// Returns the description of the object of a record.
    func description(of record: PushRecord) -> WritableFields? {
        objects.isEmpty ? nil : objectType(of: record).flatMap { objects[$0] ?? nil }
    }

    /// Returns the tree without the fields that cannot be written, or the failure because of which it cannot be sent.
    ///
    /// - Parameter copies: the last synced versions of updated records.
    func writable(_ tree: PushTree, copies: [EntryKey: JSONText]) -> Result<PushTree, PushFailure> {
        var written: [EntryKey: PushRecord] = [:]
        for record in tree.records where record.kind == .create || record.kind == .update {
            guard let type = objectType(of: record), let fields = description(of: record) else { continue }
            let values = valuesToSend(record)
            let base = record.base ?? copies[record.key]
            let known = base.map { valuesToSend(record, as: $0) }
            let decision = fields.decision(record.kind, values, base: known) {
                isSentByUpdates($0, level: record.level)
            }
            guard decision.refused.isEmpty else { return .failure(.notWritable(decision.refused, of: record, type)) }
            // A field that a transform renames or computes stays in the record, and the server decides about it.
            let own = Dictionary((record.record.members ?? []).map { ($0.key, $0.value) }) { $1 }
            let unchanged = Set(values.filter { own[$0.key]?.value == $0.value.value }.map(\.key))
            var record = record
            record.drop(decision.omitted.intersection(unchanged), base: base)
            record.omit(decision.later.intersection(unchanged))
            written[record.key] = record
        }
        var checked = tree
        checked.updateRecords { $0 = written[$0.key] ?? $0 }
        return .success(checked)
    }
}

extension PushPlan {
    /// Returns the last synced versions of updated records that were read without them.
    func syncedVersions(of trees: [PushTree], in reader: any StoreReader) throws -> [EntryKey: JSONText] {
        guard keepsSyncedCopies else { return [:] }
        var copies: [EntryKey: JSONText] = [:]
        let updated = trees.flatMap(\.records).filter { $0.kind == .update && $0.base == nil }
        for (soup, records) in Dictionary(grouping: updated, by: \.key.soup) {
            for (id, copy) in try reader.syncedCopies(of: records.map(\.key.id), in: soup) {
                copies[EntryKey(soup: soup, id: id)] = copy
            }
        }
        return copies
    }
}

extension UpRun {
    /// Reads the descriptions of the objects of trees that are not known yet.
    ///
    /// They are those that the app has fetched with ``MetadataCache``; no request is sent.
    mutating func readDescriptions(for trees: [PushTree]) async throws {
        let missing = Set(trees.flatMap(\.records).compactMap(plan.objectType)).filter { plan.objects[$0] == nil }
        guard !missing.isEmpty else { return }
        let found = try await services.backend.read { reader in
            var found: [String: WritableFields] = [:]
            guard try reader.soupExists(MetadataCache.soup) else { return found }
            for type in missing {
                let id = try reader.lookup(.string(type), at: "Id", in: MetadataCache.soup)
                let row = try id.flatMap { try reader.retrieve([$0], from: MetadataCache.soup).first }
                found[type] = row.map { WritableFields($0.stored.value) }
            }
            return found
        }
        for type in missing { plan.objects[type] = .some(found[type]) }
    }

    /// Removes the fields from trees that cannot be written; for trees that the server would refuse, returns the
    /// failure.
    func writable(_ trees: [PushTree]) async throws -> [Result<PushTree, PushFailure>] {
        guard plan.objects.values.contains(where: { $0 != nil }) else { return trees.map { .success($0) } }
        let plan = plan
        let copies = try await services.backend.read { try plan.syncedVersions(of: trees, in: $0) }
        return trees.map { plan.writable($0, copies: copies) }
    }
}

extension JSONText {
    /// The object on the server that a record names: `attributes.type`.
    fileprivate var objectType: String? { self[JSONPath("attributes.type")]?.stringValue }
}

extension PushFailure {
    /// Returns the failure of a change that contains values for fields that the user cannot write.
    fileprivate static func notWritable(_ fields: [String], of record: PushRecord, _ type: String) -> PushFailure {
        let verb = record.kind == .create ? "set in a new record" : "updated"
        return PushFailure(
            code: "FIELD_NOT_WRITABLE",
            message:
                "\(fields.joined(separator: ", ")) of \(type) cannot be \(verb) (entry \(record.key.id) of soup "
                + "\"\(record.key.soup)\"), according to the description in soup \"sfdcMetadata\": remove the field from the "
                + "field list of the sync, or undo the edit; if the permissions have changed, fetch the description again "
                + "with MetadataCache, or with a sync down of the target \"metadata\"",
            fields: fields)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The key that SoupKit sets in a creation, by which the record is found if the response is lost.
///
/// It consists of the digits of the entry's local ID. A key that an app copied from another entry is therefore noticed:
/// it would find the record of that entry.
enum ClientKey {
    /// Returns the key of an entry with a local ID; a random one if SoupKit has not made the ID.
    static func make(for id: String?) -> String {
        id.flatMap { LocalId.digits(of: $0) } ?? String(LocalId.random().dropFirst(LocalId.prefix.count))
    }

    /// Returns whether SoupKit has set a key in an entry with this ID.
    static func isOwn(_ key: JSONText?, of id: String?) -> Bool {
        guard let key = key?.string, let id else { return false }
        return key == LocalId.digits(of: id)
    }

    /// Returns whether a key is missing, or belongs to another entry.
    static func isUnusable(
        _ key: JSONText?, of record: PushRecord, _ level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> Bool {
        guard let key, key != .null, key != .string("") else { return true }
        guard let text = key.string, !isOwn(key, of: record.id) else { return false }
        let other = LocalId.prefix + text
        guard LocalId.digits(of: other) != nil else { return false }
        return try ReplacedIds.currentId(of: other, in: record.key.soup, reader) != nil
            || reader.lookup(.string(other), at: JSONPath(level.idField), in: record.key.soup) != nil
    }
}

extension UpRun {
    /// Sets keys in entries that are about to be created, if the target looks up created records by a key.
    ///
    /// A key is saved before it is sent, so that the record can be found if the response is lost. A value that the app
    /// has set is kept, unless it is the key of another entry.
    ///
    /// - Returns: whether any were set; the trees have to be read again.
    func setClientKeys(in found: [TreeReader.Found]) async throws -> Bool {
        let plan = plan
        let fields = plan.layout.levels.indices.map { plan.target.clientKeyField(level: $0) }
        guard fields.contains(where: { $0 != nil }) else { return false }
        let creations = found.trees.flatMap(\.creations).filter { !plan.target.isIdempotent($0.change()) }
        let stamps = try await services.backend.read { reader in
            var stamps: [SoupName: [EntryStamp]] = [:]
            for record in creations {
                guard let field = fields[record.level] else { continue }
                let (level, key) = (plan.layout.levels[record.level], record.record.member(field))
                guard try ClientKey.isUnusable(key, of: record, level, in: reader) else { continue }
                let stamp = RecordBatch.Stamp().setting(field, .string(ClientKey.make(for: record.id)))
                stamps[record.key.soup, default: []].append(
                    EntryStamp(id: record.key.id, stamp: stamp, ifVersion: record.version, otherwise: .none))
            }
            return stamps
        }
        guard !stamps.isEmpty else { return false }
        try await services.backend.write { writer in
            for (soup, stamps) in stamps { _ = try writer.stamp(stamps, in: soup) }
        }
        return true
    }
}

extension PushPlan {
    /// Returns the way in which a creation is recognized on the server.
    func identity(_ record: PushRecord) -> LostCreation.Identity {
        if target.isIdempotent(record.change()) { return .externalId }
        guard let field = target.clientKeyField(level: record.level), let key = record.record.member(field),
            key != .null, key != .string("")
        else { return .own }
        return ClientKey.isOwn(key, of: record.id) ? .key : .foreignKey
    }
}

extension JSONText {
    /// Returns the value of a top-level member, whose name may contain dots.
    fileprivate func member(_ name: String) -> JSONText? { members?.first { $0.key == name }?.value }
}

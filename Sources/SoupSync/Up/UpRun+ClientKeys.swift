// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// Sets random keys in entries that are about to be created, if the target looks up created records by a key.
    ///
    /// A key is saved before it is sent, so that the record can be found if the response is lost. A value that the app
    /// has set is kept.
    ///
    /// - Returns: whether any were set; the trees have to be read again.
    func setClientKeys(in found: [TreeReader.Found]) async throws -> Bool {
        let fields = plan.layout.levels.indices.map { plan.target.clientKeyField(level: $0) }
        guard fields.contains(where: { $0 != nil }) else { return false }
        var stamps: [SoupName: [EntryStamp]] = [:]
        for case .tree(let tree) in found {
            for record in tree.creations {
                guard let field = fields[record.level], !plan.target.isIdempotent(record.change()),
                    [nil, .null, .string("")].contains(record.record[JSONPath(field)])
                else { continue }
                let key = JSONText.string(String(LocalId.random().dropFirst(LocalId.prefix.count)))
                stamps[record.key.soup, default: []].append(
                    EntryStamp(
                        id: record.key.id, stamp: RecordBatch.Stamp().setting(field, key), ifVersion: record.version,
                        otherwise: .none))
            }
        }
        guard !stamps.isEmpty else { return false }
        let changes = stamps
        try await services.backend.write { writer in
            for (soup, stamps) in changes { _ = try writer.stamp(stamps, in: soup) }
        }
        return true
    }
}

extension PushPlan {
    /// Returns whether a creation has a key by which it is looked up, and no external ID.
    func hasClientKey(_ record: PushRecord) -> Bool {
        guard let field = target.clientKeyField(level: record.level), !target.isIdempotent(record.change()) else {
            return false
        }
        return record.record[JSONPath(field)]?.idText?.isEmpty == false
    }
}

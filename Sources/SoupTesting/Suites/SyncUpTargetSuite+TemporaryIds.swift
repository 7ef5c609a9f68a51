// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Checks that a creation does not send the temporary IDs of its entries: the server would save them, or refuse the
    /// record.
    func checkTemporaryIds(_ target: Target, pushing batch: [RecordChange], _ report: inout SuiteReport) async {
        guard batch[0].kind == .create else { return }
        let changes = batch.map { withTemporaryIds($0, parent: nil, target) }
        let server = self.server
        let transport = ScriptedTransport { try await server($0, []) }
        let rule = "leave out the ID field of creations, as record(toSend:) does"
        let outcomes = await report.expect("creations with temporary IDs were pushed, and push", rule: rule) {
            try await target.push(changes, in: context(transport))
        }
        if let other = outcomes?.first(where: { $0.result != .ok && $0.result != .skipped }) {
            report.note("creations with temporary IDs were pushed, and an outcome is \(other.result.quoted): \(rule)")
        }
        let fields = Set(batch.flatMap { idFields(of: $0, target) })
        let leak = transport.requests.first { request in
            RecordedRequest.decoded(request.pathAndQuery).contains(LocalId.prefix)
                || request.json.map { holdsTemporaryId($0, in: fields) } ?? false
        }
        if let leak {
            report.note(
                "creations with temporary IDs were pushed, and a request contains one, \("\(leak)".prefix(200)): \(rule), and "
                    + "replace the ID of a parent by the ID from the server")
        }
    }

    /// Returns a creation as the engine passes it: with a temporary ID, and with that of its parent.
    private func withTemporaryIds(_ change: RecordChange, parent: String?, _ target: Target) -> RecordChange {
        var change = change
        let id = change.kind == .create ? "\(LocalId.prefix)\(change.level)x\(change.entryId)" : nil
        let level = level(of: change, target)
        if let id {
            change.record = change.record.setting([(name: level?.idField ?? target.idField, value: .string(id))])
        }
        if let parent, let field = level?.parentIdField {
            change.record = change.record.setting([(name: field, value: .string(parent))])
        }
        change.children = change.children.map { withTemporaryIds($0, parent: id, target) }
        return change
    }

    private func idFields(of change: RecordChange, _ target: Target) -> [String] {
        let level = level(of: change, target)
        return [level?.idField ?? target.idField] + (level?.parentIdField.map { [$0] } ?? [])
            + change.children.flatMap { idFields(of: $0, target) }
    }

    /// Returns the level of the layout to which a change belongs; nil without a layout.
    func level(of change: RecordChange, _ target: Target) -> RecordLayout.Level? {
        guard let levels = target.layout?.levels, levels.indices.contains(change.level) else { return nil }
        return levels[change.level]
    }

    private func holdsTemporaryId(_ json: JSONValue, in fields: Set<String>) -> Bool {
        switch json {
        case .array(let items): items.contains { holdsTemporaryId($0, in: fields) }
        case .object(let object):
            object.members.contains { name, value in
                fields.contains(name) && value.stringValue.map(LocalId.isLocal) ?? false
                    || holdsTemporaryId(value, in: fields)
            }
        default: false
        }
    }
}

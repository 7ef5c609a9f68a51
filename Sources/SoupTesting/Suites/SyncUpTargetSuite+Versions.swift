// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Checks pushes that ask the server to compare versions, if the target supports them.
    func checkConditions(_ target: Target, pushing batch: [RecordChange], _ report: inout SuiteReport) async {
        let conditional = batch.filter { target.isConditional($0, under: .leaveIfChanged) }
        guard !conditional.isEmpty, batch[0].kind != .create else { return }
        var context = self.context
        context.options.mergeMode = .leaveIfChanged
        report.require(
            !conditional.contains { target.isConditional($0, under: .overwrite) },
            "isConditional returns true under OVERWRITE, so the server refuses changes that must be sent: return false")
        for change in conditional {
            guard let field = versionField(of: change, target) else {
                return report.note(
                    "isConditional returns true, but versionField is nil, so the next push has an old version: set versionField "
                        + "to the field of the version")
            }
            var plain = change
            plain.record = plain.record.setting([(name: field, value: nil)])
            report.require(
                !target.isConditional(plain, under: .leaveIfChanged),
                "isConditional returns true for a change without a version in \(field): return false, so that the engine asks "
                    + "for the record first")
        }
        await checkConflict(target, pushing: batch, conditional: conditional, in: context, &report)
        await checkSentVersions(target, pushing: conditional, in: context, &report)
    }

    /// Checks that the server's refusal of an old version is a conflict.
    private func checkConflict(
        _ target: Target, pushing batch: [RecordChange], conditional: [RecordChange], in context: SyncContext,
        _ report: inout SuiteReport
    ) async {
        guard let changedRecords else {
            return report.note(
                "isConditional returns true, but conflicts were not tested: set changedRecords to a server whose records have "
                    + "other versions than the batches")
        }
        var context = context
        context.transport = ScriptedTransport(server: changedRecords)
        let situation = "the records have other versions on the server (\(batch[0].kind.rawValue))"
        let rule = "return .conflict for the server's own refusal of a version"
        let outcomes = await report.expect("\(situation), and push", rule: rule) {
            try await target.push(batch, in: context)
        }
        guard let outcomes else { return }
        checkShape(of: outcomes, for: batch, when: situation, &report)
        let wrong = zip(batch, outcomes).first { change, outcome in
            if case .conflict = outcome.result { return false }
            return conditional.contains(change)
        }
        if let wrong { report.note("\(situation), and an outcome is \(wrong.1.result.quoted): \(rule)") }
    }

    /// Checks that the requests contain the version of the change.
    private func checkSentVersions(
        _ target: Target, pushing changes: [RecordChange], in context: SyncContext, _ report: inout SuiteReport
    ) async {
        let others = changes.map { change in
            var change = change
            guard let field = versionField(of: change, target) else { return change }
            let value = change.record[JSONPath(field)]
            let other = value?.intValue.map { JSONText.integer($0 + 1) } ?? .string((value?.stringValue ?? "") + "0")
            change.record = change.record.setting([(name: field, value: other)])
            return change
        }
        var requests: [[RecordedRequest]] = []
        for changes in [changes, others] {
            let server = self.server
            let transport = ScriptedTransport { try await server($0, []) }
            var context = context
            context.transport = transport
            _ = try? await target.push(changes, in: context)
            requests.append(transport.requests)
        }
        report.require(
            requests[0] != requests[1],
            "isConditional returns true, but the requests are the same for another version: send the version, for example "
                + "with If-Match")
    }

    private func versionField(of change: RecordChange, _ target: Target) -> String? {
        let level = level(of: change, target)
        return level.map(\.versionField) ?? target.versionField
    }
}

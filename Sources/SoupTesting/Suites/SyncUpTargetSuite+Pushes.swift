// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The result of a push without faults.
struct AcceptedPush {
    var outcomes: [PushOutcome]
    /// The number of requests.
    var requests: Int
}

extension SyncUpTargetSuite {
    /// Checks that the batches have the form of the engine's batches, and cover every kind of change.
    func checkBatches(_ target: Target, _ report: inout SuiteReport) {
        report.require(
            target.maxBatchSize > 0,
            "maxBatchSize is \(target.maxBatchSize): return 1 or more")
        let kinds = Set(batches.joined().map(\.kind))
        for kind in [RecordChange.Kind.create, .update, .delete] {
            report.require(
                kinds.contains(kind),
                "the suite has no batch of kind \(kind.rawValue), so this kind was not tested: add one to batches (a target that "
                    + "does not send such changes returns .skipped)")
        }
        if target.layout?.isTree == true {
            report.require(
                batches.joined().contains { $0.kind == .delete && $0.level > 0 },
                "the suite has no deletion of a child without its parent, so this was not tested: add a batch of these to "
                    + "batches, because the engine pushes one if the store does not contain the parent")
        }
        for batch in batches {
            report.require(
                Set(batch.map(\.kind)).count < 2,
                "a batch of the suite contains several kinds of changes: use one batch for each kind, as the engine does"
            )
            report.require(
                batch.count <= max(1, target.maxBatchSize),
                "a batch of the suite has \(batch.count) changes, and maxBatchSize is \(target.maxBatchSize): use smaller "
                    + "batches, as the engine does")
        }
    }

    func checkEmpty(_ target: Target, _ report: inout SuiteReport) async {
        let transport = self.transport()
        let rule = "return no outcome and send nothing"
        let outcomes = await report.expect("an empty batch was pushed, and push", rule: rule) {
            try await target.push([], in: context(transport))
        }
        report.require(outcomes.map(\.isEmpty) ?? true, "push returned outcomes for an empty batch: \(rule)")
        report.require(transport.count == 0, "push made \(transport.count) request(s) for an empty batch: \(rule)")
    }

    /// - Returns: nil if the push threw or had no outcome for each change; the rest then cannot be tested.
    func checkAccepted(
        _ target: Target, pushing batch: [RecordChange], _ report: inout SuiteReport
    ) async -> AcceptedPush? {
        let transport = self.transport()
        let situation = "the server accepts \(batch.count) change(s) (\(batch[0].kind.rawValue))"
        let outcomes = await report.expect(
            "\(situation), and push",
            rule: "return an outcome for each change, and .ok for changes that the server applied"
        ) { try await target.push(batch, in: context(transport)) }
        guard let outcomes else { return nil }
        checkShape(of: outcomes, for: batch, when: situation, &report)
        guard outcomes.count == batch.count else { return nil }
        for (change, outcome) in zip(batch, outcomes) {
            checkAccepted(outcome, for: change, when: situation, &report)
        }
        let ids = outcomes.compactMap(\.serverId)
        report.require(
            Set(ids).count == ids.count,
            "\(situation), and two outcomes have the same ID, \(ids): set the ID that the server returned for the change"
        )
        return AcceptedPush(outcomes: outcomes, requests: transport.count)
    }

    private func checkAccepted(
        _ outcome: PushOutcome, for change: RecordChange, when situation: String, _ report: inout SuiteReport
    ) {
        let name = "entry \(change.entryId) of \(change.soup)"
        guard case .ok = outcome.result else {
            return report.require(
                outcome.result == .skipped,
                "\(situation), and the outcome of \(name) is \(outcome.result.quoted): return .ok for changes that the server "
                    + "applied, and .skipped for changes that were not sent on purpose")
        }
        if change.kind == .create {
            report.require(
                outcome.serverId?.isEmpty == false,
                "\(situation), and the outcome of \(name) has no serverId: set the ID that the server returned, or return "
                    + ".unknown if the response contains none")
        }
        if let date = outcome.modificationDate {
            report.require(
                DateText.milliseconds(date) != nil,
                "\(situation), and the modification date \(date) of \(name) is not ISO 8601: format it as DateText.format does, "
                    + "or leave it nil"
            )
        }
        for (child, childOutcome) in zip(change.children, outcome.children) {
            checkAccepted(childOutcome, for: child, when: situation, &report)
        }
    }

    /// Checks that there is one outcome for each change, and for each child of each.
    func checkShape(
        of outcomes: [PushOutcome], for batch: [RecordChange], when situation: String, _ report: inout SuiteReport
    ) {
        report.require(
            outcomes.count == batch.count,
            "\(situation), and push returned \(outcomes.count) outcomes for \(batch.count) changes: return one for each "
                + "change, in order"
        )
        for (change, outcome) in zip(batch, outcomes) {
            checkShape(of: outcome, for: change, when: situation, &report)
        }
    }

    private func checkShape(
        of outcome: PushOutcome, for change: RecordChange, when situation: String, _ report: inout SuiteReport
    ) {
        if outcome.children.count != change.children.count {
            report.note(
                "\(situation), and an outcome has \(outcome.children.count) children for a change with "
                    + "\(change.children.count): return one outcome for each child, in order")
        }
        for (child, childOutcome) in zip(change.children, outcome.children) {
            checkShape(of: childOutcome, for: child, when: situation, &report)
        }
    }

    func checkRefused(_ target: Target, pushing batch: [RecordChange], _ report: inout SuiteReport) async {
        for position in Set([0, batch.count / 2, batch.count - 1]).sorted() {
            let situation = "the server refuses change \(position) of \(batch.count) (\(batch[position].kind.rawValue))"
            let transport = self.transport(refusing: [batch[position]])
            let outcomes = await report.expect(
                "\(situation), and push",
                rule:
                    "return .failed with code, message and fields for the refused change, and an outcome for each other "
                    + "change, because a refusal is not an error"
            ) { try await target.push(batch, in: context(transport)) }
            guard let outcomes else { continue }
            checkShape(of: outcomes, for: batch, when: situation, &report)
            let refused = outcomes.indices.filter { index in
                if case .failed = outcomes[index].result { true } else { false }
            }
            report.require(
                refused == [position],
                "\(situation), and the outcomes at \(refused) are .failed: return .failed for the refused change, at its "
                    + "position, and for no other change")
            guard refused == [position], case .failed(let failure) = outcomes[position].result else { continue }
            report.require(
                !failure.code.isEmpty && !failure.message.isEmpty,
                "\(situation), and the failure has no code or no message: set the code and the message of the server")
            report.require(
                !failure.isGone,
                "\(situation), and the failure has isGone: set isGone only if the server reports that it does not have the "
                    + "record, because the record is then deleted or recreated")
        }
    }
}

extension PushOutcome.Result {
    /// The result as part of a sentence, in source notation.
    var quoted: String {
        switch self {
        case .ok: ".ok"
        case .skipped: ".skipped"
        case .failed(let failure): ".failed (\(failure.dump))"
        case .conflict(let failure): ".conflict (\(failure.dump))"
        case .unknown(let failure): ".unknown (\(failure.dump))"
        case .notSent(let error): ".notSent (\(error.code) \(error.message))"
        }
    }
}

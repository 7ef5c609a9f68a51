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
            "maxBatchSize is \(target.maxBatchSize): a push takes one change at least, so let it be 1 or more")
        let kinds = Set(batches.joined().map(\.kind))
        for kind in [RecordChange.Kind.create, .update, .delete] {
            report.require(
                kinds.contains(kind),
                "no batch of kind \(kind.rawValue) was given to the suite, so it was not tested: add one to batches; a target "
                    + "that does not send such changes answers .skipped")
        }
        for batch in batches {
            report.require(
                Set(batch.map(\.kind)).count < 2,
                "a batch given to the suite mixes kinds of changes: give a batch for each kind, as the engine does")
            report.require(
                batch.count <= max(1, target.maxBatchSize),
                "a batch given to the suite has \(batch.count) changes, and maxBatchSize is \(target.maxBatchSize): give "
                    + "smaller batches, as the engine does")
        }
    }

    func checkEmpty(_ target: Target, _ report: inout SuiteReport) async {
        let transport = self.transport()
        let rule = "return no outcome and send nothing"
        let outcomes = await report.expect("an empty batch was pushed, and push", rule: rule) {
            try await target.push([], in: context(transport))
        }
        report.require(outcomes.map(\.isEmpty) ?? true, "an empty batch has outcomes: \(rule)")
        report.require(transport.count == 0, "an empty batch makes \(transport.count) request(s): \(rule)")
    }

    /// - Returns: nil if the push threw or had no outcome for each change; the rest then cannot be tested.
    func checkAccepted(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async -> AcceptedPush? {
        let transport = self.transport()
        let what = "a push of \(batch.count) (\(batch[0].kind.rawValue)) that the server takes"
        let outcomes = await report.expect(
            "\(what): push", rule: "return an outcome for each change, .ok for those that the server has"
        ) { try await target.push(batch, in: context(transport)) }
        guard let outcomes else { return nil }
        checkShape(what, batch, outcomes, &report)
        guard outcomes.count == batch.count else { return nil }
        for (change, outcome) in zip(batch, outcomes) { checkAccepted(what, change, outcome, &report) }
        let ids = outcomes.compactMap(\.serverId)
        report.require(
            Set(ids).count == ids.count,
            "\(what): two records have one id, \(ids): give each outcome the id that the server told for its own change"
        )
        return AcceptedPush(outcomes: outcomes, requests: transport.count)
    }

    private func checkAccepted(
        _ what: String, _ change: RecordChange, _ outcome: PushOutcome, _ report: inout SuiteReport
    ) {
        let what = "\(what), entry \(change.entryId) of \(change.soup)"
        guard case .ok = outcome.result else {
            return report.require(
                outcome.result == .skipped,
                "\(what): the outcome is \(outcome.result.quoted): return .ok for what the server took, and .skipped for "
                    + "what was not sent on purpose")
        }
        if change.kind == .create {
            report.require(
                outcome.serverId?.isEmpty == false,
                "\(what): created, and no id: give the outcome the serverId that the server told, or return .unknown when "
                    + "its answer holds none")
        }
        if let date = outcome.modificationDate {
            report.require(
                Timestamp.parse(date) != nil,
                "\(what): the modification date \(date) is not ISO 8601: write it as Timestamp.format does, or leave it nil"
            )
        }
        for (child, childOutcome) in zip(change.children, outcome.children) {
            checkAccepted(what, child, childOutcome, &report)
        }
    }

    /// Checks that there is one outcome for each change, and for each child of each.
    func checkShape(
        _ what: String, _ batch: [RecordChange], _ outcomes: [PushOutcome], _ report: inout SuiteReport
    ) {
        report.require(
            outcomes.count == batch.count,
            "\(what): \(outcomes.count) outcomes for \(batch.count) changes: return one for each change, in their order"
        )
        for (change, outcome) in zip(batch, outcomes) { checkShape(what, change, outcome, &report) }
    }

    private func checkShape(
        _ what: String, _ change: RecordChange, _ outcome: PushOutcome, _ report: inout SuiteReport
    ) {
        if outcome.children.count != change.children.count {
            report.note(
                "\(what): \(outcome.children.count) outcomes for \(change.children.count) children: give the parent's "
                    + "outcome one for each child, in their order")
        }
        for (child, childOutcome) in zip(change.children, outcome.children) {
            checkShape(what, child, childOutcome, &report)
        }
    }

    func checkRefused(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async {
        for position in Set([0, batch.count / 2, batch.count - 1]).sorted() {
            let what = "the server refuses change \(position) of \(batch.count) (\(batch[position].kind.rawValue))"
            let transport = self.transport(refusing: [batch[position]])
            let outcomes = await report.expect(
                "\(what), and push",
                rule:
                    "a refusal is an outcome and no error, so return .failed with code, message and fields for that change "
                    + "and what became of each other"
            ) { try await target.push(batch, in: context(transport)) }
            guard let outcomes else { continue }
            checkShape(what, batch, outcomes, &report)
            let refused = outcomes.indices.filter { index in
                if case .failed = outcomes[index].result { true } else { false }
            }
            report.require(
                refused == [position],
                "\(what), and the outcomes say it refused \(refused): return .failed for the change that was refused, in its "
                    + "place, and for no other")
            guard refused == [position], case .failed(let failure) = outcomes[position].result else { continue }
            report.require(
                !failure.code.isEmpty && !failure.message.isEmpty,
                "\(what), and the failure does not say why: give it the code and the message of the server")
            report.require(
                !failure.isGone,
                "\(what), and the failure says that the record is gone: set isGone only when the server says that it has no "
                    + "such record, because then it is deleted or made again")
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
        case .unknown(let failure): ".unknown (\(failure.dump))"
        case .notSent(let error): ".notSent (\(error.code) \(error.message))"
        }
    }
}

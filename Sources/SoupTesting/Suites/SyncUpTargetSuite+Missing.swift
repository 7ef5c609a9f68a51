// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Checks that the target recognizes the server's own response for a record that it does not have: an entry whose
    /// record was deleted could otherwise never be resolved.
    func checkMissingRecords(_ target: Target, with batch: [RecordChange], _ report: inout SuiteReport) async {
        let kind = batch[0].kind
        guard let missingRecords else {
            return report.require(
                kind == .create,
                "the suite has no response for missing records, so it was not tested whether the target recognizes them "
                    + "(\(kind.rawValue)): set missingRecords to a server that does not have the records of the batches"
            )
        }
        let context = self.context(ScriptedTransport(server: missingRecords))
        let situation = "the server does not have the records (\(kind.rawValue))"
        if kind == .create {
            return await checkMissingCreations(target, of: batch, in: context, when: situation, &report)
        }
        let rule = "return .failed with isGone for the server's own response for a missing record"
        let outcomes = await report.expect("\(situation), and push", rule: rule) {
            try await target.push(batch, in: context)
        }
        let wrong = outcomes?.map(\.result).first { result in
            switch result {
            case .ok, .skipped: false
            case .failed(let failure): !failure.isGone
            case .conflict, .unknown, .notSent: true
            }
        }
        if let wrong { report.note("\(situation), and an outcome is \(wrong.quoted): \(rule)") }
        await checkMissingStates(target, of: batch, in: context, when: situation, &report)
    }

    private func checkMissingStates(
        _ target: Target, of batch: [RecordChange], in context: SyncContext, when situation: String,
        _ report: inout SuiteReport
    ) async {
        let stateRule = "return .deleted for the server's own response for a missing record"
        let states = await report.expect("\(situation), and serverStates", rule: stateRule) {
            try await target.serverStates(of: batch, in: context)
        }
        if let states, let states {
            report.require(
                states == batch.map { _ in .deleted }, "\(situation), and serverStates returned \(states): \(stateRule)"
            )
        }
        let recordRule = "return nil for each record that the server reports as missing"
        let records = await report.expect("\(situation), and serverRecords", rule: recordRule) {
            try await target.serverRecords(of: batch, in: context)
        }
        if let records, let records {
            report.require(
                records == batch.map { _ in nil }, "\(situation), and serverRecords returned a record: \(recordRule)")
        }
    }

    private func checkMissingCreations(
        _ target: Target, of batch: [RecordChange], in context: SyncContext, when situation: String,
        _ report: inout SuiteReport
    ) async {
        let rule = "return nil for each creation that the server certainly does not have"
        let found = await report.expect("\(situation), and findCreated", rule: rule) {
            try await target.findCreated(batch, in: context)
        }
        guard let found, let found else { return }
        report.require(
            found == batch.map { _ in nil },
            "\(situation), and findCreated returned \(found.map { $0 ?? "none" }): \(rule)")
    }
}

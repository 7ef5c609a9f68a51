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
            return await checkMissing(
                "findCreated", as: "none", for: batch, when: situation, &report,
                rule: "return nil for each creation that the server certainly does not have"
            ) { try await target.findCreated(batch, in: context)?.map { $0 ?? "none" } }
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
        await checkMissing(
            "serverStates", as: "deleted", for: batch, when: situation, &report,
            rule: "return .deleted for the server's own response for a missing record"
        ) { try await target.serverStates(of: batch, in: context)?.map { "\($0)" } }
        await checkMissing(
            "serverRecords", as: "none", for: batch, when: situation, &report,
            rule: "return nil for each record that the server reports as missing"
        ) { try await target.serverRecords(of: batch, in: context)?.map { $0?.description ?? "none" } }
    }

    /// Checks the results of a method that asks for records, as texts; nil means that the target does not support it.
    private func checkMissing(
        _ method: String, as expected: String, for batch: [RecordChange], when situation: String,
        _ report: inout SuiteReport, rule: String, call: () async throws -> [String]?
    ) async {
        guard let answer = await report.expect("\(situation), and \(method)", rule: rule, call), let found = answer
        else { return }
        report.require(
            found == batch.map { _ in expected }, "\(situation), and \(method) returned \(found): \(rule)")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// - Returns: whether the target reported the state of a record.
    func checkStates(
        _ target: Target, of batch: [RecordChange], _ report: inout SuiteReport
    ) async -> Bool {
        let rule = "return one state for each change, in order, and .unknown if the server does not report the state"
        let states = await report.expect("the server responds, and serverStates", rule: rule) {
            try await target.serverStates(of: batch, in: context(transport()))
        }
        report.require(
            states.map { $0.count == batch.count } ?? true,
            "serverStates returned \(states?.count ?? 0) states for \(batch.count) changes: \(rule)")
        for case .modified(let date) in states ?? [] where DateText.parse(date) == nil {
            report.note(
                "serverStates returned the modification date \(date), which is not ISO 8601: format it as DateText.format does"
            )
        }
        await checkFailingStates(target, of: batch, &report)
        return states?.contains { $0 != .unknown } ?? false
    }

    private func checkFailingStates(
        _ target: Target, of batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        await checkFailingStates(
            target, of: batch, fault: .status(500), when: "the server responds with HTTP 500 to the request for states",
            &report)
        for answer in ForeignAnswer.all {
            await checkFailingStates(
                target, of: batch, fault: .foreign(status: answer.status, body: answer.body),
                when: "a gateway responds with \(answer) to the request for states", &report)
        }
    }

    private func checkFailingStates(
        _ target: Target, of batch: [RecordChange], fault: FaultyTransport.Fault, when situation: String,
        _ report: inout SuiteReport
    ) async {
        let down = self.transport { _, _ in fault }
        let rule = "return .unknown for each, or throw a SoupError"
        do {
            let states = try await target.serverStates(of: batch, in: context(down))
            report.require(
                states.count == batch.count,
                "\(situation), and serverStates returned \(states.count) states for \(batch.count) changes: \(rule)")
            report.require(
                states.allSatisfy { $0 == .unknown } || down.count == 0,
                "\(situation), and serverStates returned \(states): \(rule)")
        } catch is SoupError {
        } catch {
            report.note("\(situation), and serverStates threw \(error.quoted): \(rule)")
        }
    }

    /// Checks that `reportsServerStates` corresponds to the states that the target returned.
    func checkStateDeclaration(of target: Target, returnsStates: Bool, _ report: inout SuiteReport) {
        if target.reportsServerStates {
            report.require(
                returnsStates,
                "reportsServerStates is true, but serverStates returned no state, so it was not tested: let the suite's server "
                    + "respond to the request for states")
        } else {
            report.require(
                !returnsStates,
                "serverStates returned states, but reportsServerStates is false: return true, because the engine relies less on the "
                    + "states otherwise")
        }
    }
}

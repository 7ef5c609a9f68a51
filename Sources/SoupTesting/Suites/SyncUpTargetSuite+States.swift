// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// - Returns: whether the target reported the state of a record.
    func checkStates(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async -> Bool {
        let shape = "return one state for each change, in their order, .unknown where the server does not tell"
        let states = await report.expect("serverStates was asked with a server that answers, and", rule: shape) {
            try await target.serverStates(of: batch, in: context(transport()))
        }
        report.require(
            states.map { $0.count == batch.count } ?? true,
            "serverStates has \(states?.count ?? 0) states for \(batch.count) changes: \(shape)")
        for case .modified(let date) in states ?? [] where Timestamp.parse(date) == nil {
            report.note(
                "serverStates tells the modification date \(date), which is not ISO 8601: write it as Timestamp.format does"
            )
        }
        await checkFailingStates(target, batch, &report)
        return states?.contains { $0 != .unknown } ?? false
    }

    private func checkFailingStates(
        _ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        await checkFailingStates(target, batch, .status(500), "the server cannot tell its states", &report)
        for answer in ForeignAnswer.all {
            await checkFailingStates(
                target, batch, .foreign(status: answer.status, body: answer.body),
                "a gateway answered the question for states with \(answer)", &report)
        }
    }

    private func checkFailingStates(
        _ target: Target, _ batch: [RecordChange], _ fault: FaultyTransport.Fault, _ what: String,
        _ report: inout SuiteReport
    ) async {
        let down = self.transport { _, _ in fault }
        let rule = "return .unknown for each, or throw a SoupError"
        do {
            let states = try await target.serverStates(of: batch, in: context(down))
            report.require(
                states.count == batch.count,
                "\(what), and there are \(states.count) for \(batch.count) changes: \(rule)")
            report.require(
                states.allSatisfy { $0 == .unknown } || down.count == 0,
                "\(what), and serverStates says \(states): \(rule)")
        } catch is SoupError {
        } catch {
            report.note("\(what), and serverStates threw \(error.quoted): \(rule)")
        }
    }

    /// Checks the target's claim about its states.
    func checkTelling(_ target: Target, tells: Bool, _ report: inout SuiteReport) {
        if target.tellsServerStates {
            report.require(
                tells,
                "tellsServerStates is true, and serverStates told no state, so that it was not tested: let the suite's server "
                    + "answer the question")
        } else {
            report.require(
                !tells,
                "serverStates tells states, and tellsServerStates is false: let it be true, or they count for less")
        }
    }
}

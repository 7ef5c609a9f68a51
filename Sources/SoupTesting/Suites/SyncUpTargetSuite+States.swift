// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// The result of a request for the states of a batch.
    enum StateSupport {
        /// The target returned nil.
        case unsupported
        /// The target returned a list in which every state is unknown.
        case unknown
        /// The target reported the state of a record.
        case reported
    }

    /// - Returns: the result of the request; nil if the target threw an error.
    func checkStates(
        _ target: Target, of batch: [RecordChange], _ report: inout SuiteReport
    ) async -> StateSupport? {
        let rule = "return one state for each change, in order, and .unknown if the server does not report the state"
        let answer = await report.expect("the server responds, and serverStates", rule: rule) {
            try await target.serverStates(of: batch, in: context(transport()))
        }
        let support = answer.map { states in
            states.map { check($0, of: batch, rule: rule, &report) } ?? .unsupported
        }
        await checkFailingStates(target, of: batch, isSupported: support != .unsupported, &report)
        return support
    }

    private func check(
        _ states: [ServerState], of batch: [RecordChange], rule: String, _ report: inout SuiteReport
    ) -> StateSupport {
        report.require(
            states.count == batch.count,
            "serverStates returned \(states.count) states for \(batch.count) changes: \(rule)")
        for case .modified(let date) in states where DateText.milliseconds(date) == nil {
            report.note(
                "serverStates returned the modification date \(date), which is not ISO 8601: format it as DateText.format does"
            )
        }
        return states.contains { $0 != .unknown } ? .reported : .unknown
    }

    private func checkFailingStates(
        _ target: Target, of batch: [RecordChange], isSupported: Bool, _ report: inout SuiteReport
    ) async {
        await checkFailingStates(
            target, of: batch, isSupported: isSupported, fault: .status(500),
            when: "the server responds with HTTP 500 to the request for states", &report)
        for answer in ForeignAnswer.all {
            await checkFailingStates(
                target, of: batch, isSupported: isSupported,
                fault: .foreign(status: answer.status, body: answer.body),
                when: "a gateway responds with \(answer) to the request for states", &report)
        }
    }

    private func checkFailingStates(
        _ target: Target, of batch: [RecordChange], isSupported: Bool, fault: FaultyTransport.Fault,
        when situation: String, _ report: inout SuiteReport
    ) async {
        let down = self.transport { _, _ in fault }
        let rule = "return .unknown for each, or throw a SoupError"
        do {
            guard let states = try await target.serverStates(of: batch, in: context(down)) else {
                return report.require(
                    !isSupported,
                    "\(situation), and serverStates returned nil, which means that the target never reports states: \(rule)"
                )
            }
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

    /// Checks that the target reports states for all batches, or for none.
    func checkStateSupport(_ states: [StateSupport], _ report: inout SuiteReport) {
        guard let first = states.first else { return }
        report.require(
            states.allSatisfy { ($0 == .unsupported) == (first == .unsupported) },
            "serverStates returned states for one batch and nil for another: return nil for all changes, or for none")
        report.require(
            states.contains { $0 != .unknown },
            "serverStates returned no known state, so it was not tested: let the suite's server respond to the request for "
                + "states, or return nil if the target cannot report states")
    }
}

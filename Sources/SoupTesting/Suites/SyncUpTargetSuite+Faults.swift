// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FaultyTransport.Fault {
    /// The fault of a push, as part of a sentence.
    fileprivate var situation: String {
        switch self {
        case .lostAnswer: "the response was lost after the server applied the changes"
        case .lostRequest: "the connection broke, and it is unknown whether the server applied the changes"
        case .cancelled: "the exchange was cancelled after the server applied the changes"
        case .truncated: "the response to changes that the server applied was truncated"
        case .notSent: "the request was certainly not sent"
        case .status(let status), .refused(let status, _): "the server responded with HTTP \(status)"
        case .foreign(let status, _): "the server applied the changes, and a gateway responded with HTTP \(status)"
        case .renamed(let text, _, _): "the response to changes that the server applied has \"\(text)\" for each ID"
        }
    }
}

extension PushOutcome {
    /// The outcome itself, and the outcomes of all its descendants.
    var withDescendants: [PushOutcome] { [self] + children.flatMap(\.withDescendants) }
}

extension SyncUpTargetSuite {
    func checkFaults(
        _ target: Target, pushing batch: [RecordChange], at number: Int, of requests: Int,
        _ report: inout SuiteReport
    ) async {
        let place = "request \(number + 1) of \(requests) (\(batch[0].kind.rawValue))"
        let rule = "return .unknown for the changes of the request"
        for fault in [FaultyTransport.Fault.lostAnswer, .lostRequest, .cancelled, .truncated] {
            let situation = "\(place): \(fault.situation)"
            let transport = self.transport { count, _ in count == number ? fault : nil }
            let outcomes = await report.expect(
                "\(situation), and push", rule: "\(rule), because an error means that none was sent"
            ) {
                try await target.push(batch, in: context(transport))
            }
            guard let outcomes else { continue }
            checkShape(of: outcomes, for: batch, when: situation, &report)
            let flat = outcomes.flatMap(\.withDescendants)
            report.require(
                flat.contains { if case .unknown = $0.result { true } else { false } }
                    || flat.allSatisfy { $0.result == .ok },
                "\(situation), and no outcome is unknown, \(flat.map(\.result.quoted)): \(rule)")
            if requests == 1 {
                report.require(
                    !flat.contains { if case .failed = $0.result { true } else { false } },
                    "\(situation), and changes are reported as refused, \(flat.map(\.result.quoted)): \(rule)")
            }
        }
        await checkUnsent(target, pushing: batch, at: number, place: place, &report)
    }

    private func checkUnsent(
        _ target: Target, pushing batch: [RecordChange], at number: Int, place: String,
        _ report: inout SuiteReport
    ) async {
        let transport = self.transport { count, _ in count >= number ? .notSent : nil }
        let situation = "\(place): \(FaultyTransport.Fault.notSent.situation)"
        let rule =
            number == 0
            ? "rethrow the transport's error, whose delivery is notSent, or return .notSent, or .failed with retry .inLaterRun"
            : "return .notSent, or .failed with retry .inLaterRun, for the changes of the request"
        do {
            let outcomes = try await target.push(batch, in: context(transport))
            checkShape(of: outcomes, for: batch, when: situation, &report)
            for outcome in outcomes {
                switch outcome.result {
                case .failed(let failure):
                    report.require(failure.isRetryable, "\(situation), and the failure is not retryable: \(rule)")
                case .notSent: break
                case .ok, .skipped, .conflict:
                    report.require(number > 0, "\(situation), and an outcome is \(outcome.result.quoted): \(rule)")
                case .unknown:
                    report.note(
                        "\(situation), and an outcome is unknown, so the change would not be sent again: \(rule)")
                }
            }
        } catch let error as SoupError where error.code == .network && error.delivery == .notSent {
            report.require(
                number == 0, "\(situation), and push threw, so the outcomes of earlier requests are lost: \(rule)")
        } catch {
            report.note("\(situation), and push threw \(error.quoted), whose delivery is not notSent: \(rule)")
        }
    }
}

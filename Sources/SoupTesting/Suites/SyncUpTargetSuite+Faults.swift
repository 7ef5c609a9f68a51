// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FaultyTransport.Fault {
    /// The fault of a push, as part of a sentence.
    fileprivate var story: String {
        switch self {
        case .lostAnswer: "the answer was lost after the server took the changes"
        case .lostRequest: "the connection broke, and nobody can know whether the server took the changes"
        case .cancelled: "the exchange was cancelled after the server took the changes"
        case .truncated: "the answer to changes that the server took was cut off and cannot be read"
        case .notSent: "the request was not sent, and that is certain"
        case .status(let status), .refused(let status, _): "the server answered with HTTP \(status)"
        case .foreign(let status, _): "the server took the changes, and a gateway answered with HTTP \(status)"
        case .renamed(let text, _, _): "the answer to changes that the server took has \"\(text)\" for each ID"
        }
    }
}

extension PushOutcome {
    /// The outcome itself, and those of all records below it.
    var withDescendants: [PushOutcome] { [self] + children.flatMap(\.withDescendants) }
}

extension SyncUpTargetSuite {
    func checkFaults(
        _ target: Target, _ batch: [RecordChange], at number: Int, of requests: Int, _ report: inout SuiteReport
    ) async {
        let place = "request \(number + 1) of \(requests) (\(batch[0].kind.rawValue))"
        let rule = "return .unknown for the changes that the request covered"
        for fault in [FaultyTransport.Fault.lostAnswer, .lostRequest, .cancelled, .truncated] {
            let what = "\(place): \(fault.story)"
            let transport = self.transport { count, _ in count == number ? fault : nil }
            let outcomes = await report.expect(
                "\(what), and push", rule: "\(rule); an error would say that none was sent"
            ) {
                try await target.push(batch, in: context(transport))
            }
            guard let outcomes else { continue }
            checkShape(what, batch, outcomes, &report)
            let flat = outcomes.flatMap(\.withDescendants)
            report.require(
                flat.contains { if case .unknown = $0.result { true } else { false } }
                    || flat.allSatisfy { $0.result == .ok },
                "\(what), and no outcome is unknown, \(flat.map(\.result.quoted)): \(rule)")
            if requests == 1 {
                report.require(
                    !flat.contains { if case .failed = $0.result { true } else { false } },
                    "\(what), and changes are reported as refused, \(flat.map(\.result.quoted)): \(rule)")
            }
        }
        await checkUnsent(target, batch, at: number, place, &report)
    }

    private func checkUnsent(
        _ target: Target, _ batch: [RecordChange], at number: Int, _ place: String, _ report: inout SuiteReport
    ) async {
        let transport = self.transport { count, _ in count >= number ? .notSent : nil }
        let what = "\(place): \(FaultyTransport.Fault.notSent.story)"
        let rule =
            number == 0
            ? "let the transport's error through, whose delivery is notSent, or return .notSent, or .failed with isRetryable"
            : "return .notSent, or .failed with isRetryable, for the changes that it covered"
        do {
            let outcomes = try await target.push(batch, in: context(transport))
            checkShape(what, batch, outcomes, &report)
            for outcome in outcomes {
                switch outcome.result {
                case .failed(let failure):
                    report.require(failure.isRetryable, "\(what), and the failure is not called retryable: \(rule)")
                case .notSent: break
                case .ok, .skipped:
                    report.require(number > 0, "\(what), and an outcome is \(outcome.result.quoted): \(rule)")
                case .unknown:
                    report.note("\(what), and an outcome is unknown, so that it would not be sent again: \(rule)")
                }
            }
        } catch let error as SoupError where error.code == .network && error.delivery == .notSent {
            report.require(
                number == 0, "\(what), and push threw, so that what was pushed before is forgotten: \(rule)")
        } catch {
            report.note("\(what), and push threw \(error.quoted), which does not say so: \(rule)")
        }
    }
}

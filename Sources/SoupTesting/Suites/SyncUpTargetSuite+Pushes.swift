// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    func checkEmpty(_ target: Target, _ report: inout SuiteReport) async {
        let transport = self.transport()
        let outcomes = await report.expect("an empty batch") { try await target.push([], in: context(transport)) }
        report.require(outcomes.map(\.isEmpty) ?? true, "an empty batch has outcomes")
        report.require(transport.count == 0, "an empty batch makes \(transport.count) request(s)")
    }

    /// - Returns: how many requests the push of the batch takes.
    func checkAccepted(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async -> Int? {
        let transport = self.transport()
        let what = "a push of \(batch.count) (\(batch[0].kind.rawValue))"
        let outcomes = await report.expect(what) { try await target.push(batch, in: context(transport)) }
        guard let outcomes else { return nil }
        checkShape(what, batch, outcomes, &report)
        guard outcomes.count == batch.count else { return nil }
        for (change, outcome) in zip(batch, outcomes) { checkAccepted(what, change, outcome, &report) }
        let ids = outcomes.compactMap(\.serverId)
        report.require(Set(ids).count == ids.count, "\(what): two records have one id, \(ids)")
        return transport.count
    }

    private func checkAccepted(
        _ what: String, _ change: RecordChange, _ outcome: PushOutcome, _ report: inout SuiteReport
    ) {
        let what = "\(what), entry \(change.entryId) of \(change.soup)"
        guard case .ok = outcome.result else {
            return report.require(
                outcome.result == .skipped, "\(what): the server takes everything and it reports \(outcome.result)")
        }
        if change.kind == .create {
            report.require(outcome.serverId?.isEmpty == false, "\(what): created, and no id")
        }
        if let date = outcome.modificationDate {
            report.require(Timestamp.parse(date) != nil, "\(what): the modification date \(date) is not ISO 8601")
        }
        for (child, childOutcome) in zip(change.children, outcome.children) {
            checkAccepted(what, child, childOutcome, &report)
        }
    }

    /// One outcome for each change, and for each child of each.
    private func checkShape(
        _ what: String, _ batch: [RecordChange], _ outcomes: [PushOutcome], _ report: inout SuiteReport
    ) {
        report.require(outcomes.count == batch.count, "\(what): \(outcomes.count) outcomes for \(batch.count) changes")
        for (change, outcome) in zip(batch, outcomes) where outcome.children.count != change.children.count {
            report.note("\(what): \(outcome.children.count) outcomes for \(change.children.count) children")
        }
    }

    func checkRefused(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async {
        for position in Set([0, batch.count / 2, batch.count - 1]).sorted() {
            let what = "the server refuses change \(position) of \(batch.count) (\(batch[position].kind.rawValue))"
            let transport = self.transport(refusing: [batch[position]])
            let outcomes = await report.expect(what) { try await target.push(batch, in: context(transport)) }
            guard let outcomes else { continue }
            checkShape(what, batch, outcomes, &report)
            let refused = outcomes.indices.filter { index in
                if case .failed = outcomes[index].result { true } else { false }
            }
            report.require(refused == [position], "\(what), and the outcomes say it refused \(refused)")
            guard refused == [position], case .failed(let failure) = outcomes[position].result else { continue }
            report.require(
                !failure.code.isEmpty && !failure.message.isEmpty, "\(what), and the failure does not say why")
            report.require(!failure.isGone, "\(what), and the failure says that the record is gone")
        }
    }

    func checkFaults(
        _ target: Target, _ batch: [RecordChange], at number: Int, of requests: Int, _ report: inout SuiteReport
    ) async {
        let place = "request \(number + 1) of \(requests) (\(batch[0].kind.rawValue))"
        for fault in [FaultyTransport.Fault.lostAnswer, .lostRequest, .cancelled, .truncated] {
            let what = "\(place): \(fault)"
            let transport = self.transport { count, _ in count == number ? fault : nil }
            guard let outcomes = await report.expect(what, { try await target.push(batch, in: context(transport)) })
            else { continue }
            checkShape(what, batch, outcomes, &report)
            let flat = outcomes.flatMap { [$0] + $0.children }
            report.require(
                flat.contains { if case .unknown = $0.result { true } else { false } }
                    || flat.allSatisfy { $0.result == .ok },
                "\(what): the answer is lost, and no outcome is unknown: \(outcomes.map(\.result))")
            if requests == 1 {
                report.require(
                    !flat.contains { if case .failed = $0.result { true } else { false } },
                    "\(what): the answer is lost, and changes are reported as refused")
            }
        }
        await checkUnsent(target, batch, at: number, place, &report)
    }

    private func checkUnsent(
        _ target: Target, _ batch: [RecordChange], at number: Int, _ place: String, _ report: inout SuiteReport
    ) async {
        let transport = self.transport { count, _ in count >= number ? .notSent : nil }
        do {
            let outcomes = try await target.push(batch, in: context(transport))
            checkShape("\(place): not sent", batch, outcomes, &report)
            for outcome in outcomes {
                switch outcome.result {
                case .failed(let failure):
                    report.require(
                        failure.isRetryable, "\(place): it was not sent, and the failure is not called retryable")
                case .ok, .skipped:
                    report.require(number > 0, "\(place): it was not sent, and the outcome is \(outcome.result)")
                case .unknown:
                    report.note("\(place): it was certainly not sent, and the outcome is unknown")
                }
            }
        } catch let error as SoupError where error.code == .network {
            report.require(number == 0, "\(place): not sent; it throws, and what was pushed before is forgotten")
        } catch {
            report.note("\(place): not sent; it throws \(error), and not a SoupError with network")
        }
    }

    func checkQuestions(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async {
        let states = await report.expect("the server's states") {
            try await target.serverStates(of: batch, in: context(transport()))
        }
        report.require(states.map { $0.count == batch.count } ?? true, "not one server state for each change")
        let down = self.transport { _, _ in .status(500) }
        do {
            let states = try await target.serverStates(of: batch, in: context(down))
            report.require(states.count == batch.count, "not one server state for each change when the server fails")
            report.require(
                states.allSatisfy { $0 == .unknown } || down.count == 0,
                "the server cannot tell its states, and it reports \(states)")
        } catch is SoupError {
        } catch {
            report.note("the server cannot tell its states, and it throws \(error), not a SoupError")
        }
        guard batch[0].kind == .create else { return }
        do {
            let found = try await target.findCreated(batch, in: context(transport()))
            report.require(found.count == batch.count, "findCreated has \(found.count) answers for \(batch.count)")
        } catch let error as SoupError where error.code == .notSupported {
        } catch {
            report.note("findCreated throws \(error)")
        }
    }
}

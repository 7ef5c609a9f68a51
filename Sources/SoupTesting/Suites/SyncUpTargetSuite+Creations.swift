// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Checks that a creation that the engine repeats after a lost response does not create a second record.
    func checkIdempotence(_ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport) async {
        let creations = batch.filter { $0.kind == .create && target.isIdempotent($0) }
        guard !creations.isEmpty else { return }
        guard let recordCount else {
            return report.note(
                "isIdempotent says that creations can be pushed twice, and that was not tested: give the suite a recordCount "
                    + "that tells how many records the server holds")
        }
        let rule = "send what the server recognises the record by, such as an external id, or let isIdempotent be false"
        var ids: [[String?]] = []
        var counts: [Int] = []
        for time in ["once", "twice"] {
            let what = "a creation that isIdempotent calls repeatable was pushed \(time), and push"
            let outcomes = await report.expect(what, rule: rule) {
                try await target.push(creations, in: context(transport()))
            }
            guard let outcomes else { return }
            for outcome in outcomes {
                guard outcome.result != .ok else { continue }
                return report.note("\(what) told \(outcome.result.quoted): \(rule)")
            }
            ids.append(outcomes.map(\.serverId))
            counts.append(await recordCount())
        }
        report.require(
            counts[0] >= creations.count,
            "\(creations.count) creation(s) were pushed, and recordCount tells \(counts[0]): let it count what the server holds"
        )
        report.require(
            counts[0] == counts[1],
            "creations that isIdempotent calls repeatable were pushed twice, and the server has \(counts[1] - counts[0]) "
                + "record(s) more: \(rule)")
        report.require(
            ids[0] == ids[1],
            "creations that isIdempotent calls repeatable have other ids the second time, \(ids[1].map { $0 ?? "none" }) after "
                + "\(ids[0].map { $0 ?? "none" }): \(rule)")
    }

    /// Returns whether the target has its own lookup: the default one also throws for an empty list.
    func hasLookup(_ target: Target) async -> Bool {
        do {
            _ = try await target.findCreated([], in: context(transport()))
            return true
        } catch {
            return (error as? SoupError)?.code != .notSupported
        }
    }

    /// Looks up creations that were just pushed.
    ///
    /// - Returns: whether the target found them; false if it does not support lookups.
    func checkLookup(
        _ target: Target, _ batch: [RecordChange], _ accepted: AcceptedPush, _ report: inout SuiteReport
    ) async -> Bool {
        guard batch[0].kind == .create, accepted.outcomes.allSatisfy({ $0.result == .ok }) else { return false }
        let ids = accepted.outcomes.map(\.serverId)
        do {
            let found = try await target.findCreated(batch, in: context(transport()))
            report.require(
                found.count == batch.count,
                "findCreated has \(found.count) answers for \(batch.count) creations: return one for each, in their order, nil "
                    + "where the server has no such record")
            report.require(
                found == ids,
                "findCreated was asked for creations that the server just took as \(ids.map { $0 ?? "none" }), and found "
                    + "\(found.map { $0 ?? "none" }): return the ids that the server has them under, and let the suite's "
                    + "server answer the question")
            if found == ids, !found.contains(nil) {
                await checkRecords(target, batch, found.compactMap(\.self), &report)
            }
        } catch let error as SoupError where error.code == .notSupported {
            return false
        } catch {
            report.note(
                "findCreated threw \(error.quoted) and the server answers: return the ids of the records, or throw SoupError "
                    + "notSupported for creations that cannot be looked up")
        }
        await checkFailingLookup(target, batch, &report)
        return true
    }

    private func checkFailingLookup(
        _ target: Target, _ batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        await checkSilence(
            "findCreated", meaning: "has no such record, which would be made a second time", &report
        ) { try await target.findCreated(batch, in: $0).contains(nil) }
    }

    /// Checks that an unusable response does not count as a missing record.
    ///
    /// - Parameters:
    ///   - name: the name of the method.
    ///   - meaning: the meaning of a nil result.
    ///   - ask: calls the method; returns whether any of the results is nil.
    func checkSilence(
        _ name: String, meaning: String, _ report: inout SuiteReport,
        ask: (SyncContext) async throws -> Bool
    ) async {
        let foreign = ForeignAnswer.all.map { FaultyTransport.Fault.foreign(status: $0.status, body: $0.body) }
        for fault in [FaultyTransport.Fault.status(500), .truncated, .lostAnswer] + foreign {
            let transport = self.transport { _, _ in fault }
            do {
                let saysNone = try await ask(context(transport))
                report.require(
                    transport.count == 0 || !saysNone,
                    "the server cannot be asked (\(fault)), and \(name) says that it \(meaning): throw a SoupError")
            } catch is SoupError {
            } catch {
                report.note(
                    "the server cannot be asked (\(fault)), and \(name) threw \(error.quoted): throw a SoupError")
            }
        }
    }
}

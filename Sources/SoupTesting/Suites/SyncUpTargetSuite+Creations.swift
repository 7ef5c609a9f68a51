// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncUpTargetSuite {
    /// Checks that a creation that the engine repeats after a lost response does not create a second record.
    func checkIdempotence(
        _ target: Target, pushing batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        let creations = batch.filter { $0.kind == .create && target.isIdempotent($0) }
        guard !creations.isEmpty else { return }
        guard let recordCount else {
            return report.note(
                "isIdempotent returns true for creations, but this was not tested: give the suite a recordCount that returns "
                    + "the number of records on the server")
        }
        let rule =
            "send a value that identifies the record on the server, such as an external ID, or return false from "
            + "isIdempotent"
        var ids: [[String?]] = []
        var counts: [Int] = []
        for time in ["once", "twice"] {
            let action = "a creation for which isIdempotent is true was pushed \(time), and push"
            let outcomes = await report.expect(action, rule: rule) {
                try await target.push(creations, in: context(transport()))
            }
            guard let outcomes else { return }
            if let other = outcomes.first(where: { $0.result != .ok }) {
                return report.note("\(action) returned \(other.result.quoted): \(rule)")
            }
            ids.append(outcomes.map(\.serverId))
            counts.append(await recordCount())
        }
        report.require(
            counts[0] >= creations.count,
            "\(creations.count) creation(s) were pushed, but recordCount returned \(counts[0]): return the number of records on "
                + "the server")
        report.require(
            counts[0] == counts[1],
            "creations for which isIdempotent is true were pushed twice, and the server has \(counts[1] - counts[0]) more "
                + "record(s): \(rule)")
        report.require(
            ids[0] == ids[1],
            "creations for which isIdempotent is true have other IDs the second time, \(ids[1].map { $0 ?? "none" }) after "
                + "\(ids[0].map { $0 ?? "none" }): \(rule)")
    }

    /// Returns whether the target has its own lookup: the default one also returns nil for an empty list.
    func hasLookup(_ target: Target) async -> Bool {
        do {
            return try await target.findCreated([], in: context(transport())) != nil
        } catch {
            return true
        }
    }

    /// Looks up creations that were just pushed.
    ///
    /// - Returns: whether the target found them; false if it does not support lookups.
    func checkLookup(
        _ target: Target, of batch: [RecordChange], accepted: AcceptedPush, _ report: inout SuiteReport
    ) async -> Bool {
        guard batch[0].kind == .create, accepted.outcomes.allSatisfy({ $0.result == .ok }) else { return false }
        let ids = accepted.outcomes.map(\.serverId)
        do {
            guard let found = try await target.findCreated(batch, in: context(transport())) else { return false }
            report.require(
                found.count == batch.count,
                "findCreated returned \(found.count) results for \(batch.count) creations: return one for each creation, in "
                    + "order, and nil if the server has no such record")
            report.require(
                found == ids,
                "the server just accepted creations as \(ids.map { $0 ?? "none" }), and findCreated returned "
                    + "\(found.map { $0 ?? "none" }): return the server's IDs of the records, and let the suite's server "
                    + "respond to the lookup")
            if found == ids, !found.contains(nil) {
                await checkRecords(target, of: batch, ids: found.compactMap(\.self), &report)
            }
        } catch {
            report.note(
                "findCreated threw \(error.quoted), although the server responds: return the IDs of the records, or return "
                    + "nil in place of the list for creations that cannot be looked up")
        }
        await checkFailingLookup(target, of: batch, &report)
        return true
    }

    private func checkFailingLookup(
        _ target: Target, of batch: [RecordChange], _ report: inout SuiteReport
    ) async {
        await checkUnusableResponses(
            to: "findCreated", consequence: "it would be created a second time", &report
        ) { try await target.findCreated(batch, in: $0)?.contains(nil) ?? false }
    }

    /// Checks that an unusable response does not count as a missing record.
    ///
    /// - Parameters:
    ///   - name: the name of the method.
    ///   - consequence: the consequence of a nil result.
    ///   - call: calls the method; returns whether any of the results is nil.
    func checkUnusableResponses(
        to name: String, consequence: String, _ report: inout SuiteReport,
        call: (SyncContext) async throws -> Bool
    ) async {
        let foreign = ForeignAnswer.all.map { FaultyTransport.Fault.foreign(status: $0.status, body: $0.body) }
        for fault in [FaultyTransport.Fault.status(500), .truncated, .lostAnswer] + foreign {
            let transport = self.transport { _, _ in fault }
            do {
                let reportsNone = try await call(context(transport))
                report.require(
                    transport.count == 0 || !reportsNone,
                    "the server sends no usable response (\(fault)), and \(name) reports the record as missing, so "
                        + "\(consequence): throw a SoupError")
            } catch is SoupError {
            } catch {
                report.note(
                    "the server sends no usable response (\(fault)), and \(name) threw \(error.quoted): throw a SoupError"
                )
            }
        }
    }
}

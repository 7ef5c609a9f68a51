// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import SoupCore

extension SyncDownTargetSuite {
    /// Checks the deletions that the target reports for each level, if it reports any.
    func checkDeletions(_ target: Target, after walk: PageWalk?, _ report: inout SuiteReport) async {
        for level in 0..<(target.layout?.levels.count ?? 1) {
            guard await reportsDeletions(target, level: level, &report) else { continue }
            if let walk { await checkReport(target, after: walk, level: level, &report) }
            await checkUnusableReports(of: "deletions of level \(level)", unless: DeletionReport.incomplete, &report) {
                try await target.deletions(since: $0.clock.now, level: level, in: $0)
            }
        }
    }

    /// Checks the report of the last hour: the suite's server must contain a deletion.
    private func checkReport(
        _ target: Target, after walk: PageWalk, level: Int, _ report: inout SuiteReport
    ) async {
        let since = context.clock.now.addingTimeInterval(-3600)
        let rule = "return the IDs that the server reports as deleted since the time, and the end of the period"
        var reports: [(ids: [String], end: Date)] = []
        for _ in 0..<2 {
            let found = await report.expect("the server responds, and deletions of level \(level)", rule: rule) {
                try await target.deletions(since: since, level: level, in: context)
            }
            guard let found else { return }
            guard case .complete(let ids, let end) = found else {
                return report.note(
                    "the server responds, and deletions of level \(level) returns \(found.map { "\($0)" } ?? "nil"), so it was not "
                        + "tested: let the suite's server report a deletion in the last hour of the context's clock")
            }
            reports.append((ids, end))
        }
        let ids = reports[0].ids
        report.require(
            !ids.isEmpty,
            "deletions of level \(level) reports none, so it was not tested: let the suite's server report a deletion in the "
                + "last hour of the context's clock")
        report.require(
            ids == reports[1].ids,
            "deletions of level \(level) returned other IDs the second time: return the same report for the same time")
        report.require(
            reports.allSatisfy { $0.end >= since },
            "deletions of level \(level) covers a period that ends before its start: return the end of the period of the "
                + "server's report")
        requireGone(ids, level: level, as: "deletions of level \(level)", of: target, after: walk, &report)
    }

    /// Checks that no reported deletion is the ID of a record that a full run returns.
    private func requireGone(
        _ ids: [String], level: Int, as source: String, of target: Target, after walk: PageWalk,
        _ report: inout SuiteReport
    ) {
        let idField = target.layout?.levels[level].idField ?? target.idField
        let found = Set(walk.ids(level: level, idField: idField)).intersection(ids)
        report.require(
            found.isEmpty,
            "\(source) contains records that a full run returns, \(found.sorted()), so their entries would be removed: return "
                + "the IDs of deleted records only")
        report.require(
            ids.allSatisfy { ServerId.isPossible($0) && target.isPossibleId($0, level: level) },
            "\(source) contains a text that cannot be a server ID: return the IDs in the form in which pages contain them"
        )
    }

    /// Checks the deletions that pages contain.
    func checkDeletedIds(_ target: Target, in walk: PageWalk, _ report: inout SuiteReport) {
        let levels = target.layout?.levels.count ?? 1
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.page.deletedIds.count <= levels,
                "page \(number) has deletedIds for \(step.page.deletedIds.count) level(s) and the layout has \(levels): return at "
                    + "most one list for each level")
        }
        for level in 0..<levels {
            let ids = walk.steps.flatMap { step in
                step.page.deletedIds.indices.contains(level) ? step.page.deletedIds[level] : []
            }
            requireGone(ids, level: level, as: "deletedIds of level \(level)", of: target, after: walk, &report)
        }
    }

    /// Returns whether the target reports the deletions of a level, and checks that it needs no request for the answer.
    private func reportsDeletions(_ target: Target, level: Int, _ report: inout SuiteReport) async -> Bool {
        let transport = ScriptedTransport(server: server)
        let answer = await report.expect(
            "there is no earlier report, and deletions of level \(level)",
            rule: "return .incomplete if time is nil, or nil if the target does not report deletions"
        ) { try await target.deletions(since: nil, level: level, in: context(transport)) }
        guard let answer, let found = answer else { return false }
        report.require(
            found == .incomplete && transport.requests.isEmpty,
            "there is no earlier report, and deletions of level \(level) returns a list or makes a request: return .incomplete if "
                + "time is nil")
        return true
    }
}

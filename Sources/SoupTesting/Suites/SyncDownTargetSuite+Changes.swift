// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import SoupCore

extension SyncDownTargetSuite {
    /// Checks the changed IDs that the target reports for each level, if it reports any.
    ///
    /// The engine looks up the entries that have one of them, and removes those that left the target.
    func checkChanges(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        let levels = target.layout?.levels ?? [.init(soup: context.soup, idField: target.idField)]
        for (level, layout) in levels.enumerated() {
            let ids = walk.ids(level: level, idField: layout.idField)
            guard !ids.isEmpty else { continue }
            guard case .complete(let found)?? = await changes(target, level: level, limit: .max, &report) else {
                continue
            }
            let lost = Set(ids).subtracting(found)
            report.require(
                lost.isEmpty,
                "changedIds of level \(level) since 1970 lacks IDs that were just synced, \(lost.sorted()), so entries that leave "
                    + "the target would stay: return the IDs of all records that changed since the time")
            let again = await changes(target, level: level, limit: .max, &report)
            report.require(
                again == ChangeReport.complete(ids: found),
                "changedIds of level \(level) returned other IDs the second time: return the same IDs for the same time"
            )
            let limited = await changes(target, level: level, limit: 0, &report)
            report.require(
                limited == ChangeReport.incomplete,
                "changedIds of level \(level) returns more IDs than the limit: return .incomplete")
            await checkUnusableReports(of: "changedIds of level \(level)", unless: ChangeReport.incomplete, &report) {
                try await target.changedIds(
                    since: Date(timeIntervalSince1970: 0), level: level, limit: .max, in: $0)
            }
        }
    }

    private func changes(
        _ target: Target, level: Int, limit: Int, _ report: inout SuiteReport
    ) async -> ChangeReport?? {
        await report.expect(
            "the server responds, and changedIds of level \(level)",
            rule:
                "return the IDs of the records that changed since the time, or nil if the target cannot determine them"
        ) {
            try await target.changedIds(
                since: Date(timeIntervalSince1970: 0), level: level, limit: limit, in: context)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTargetSuite {
    /// Checks the token from which the next run continues, if the target returns one.
    func checkToken(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        for (number, step) in walk.steps.enumerated() where step.page.next != nil {
            report.require(
                step.page.syncToken == nil,
                "page \(number) has a syncToken and is not the last one: set it on the last page, because the run is complete only "
                    + "then")
        }
        guard let token = walk.steps.last?.page.syncToken else { return }
        var later = context
        later.syncToken = token
        let run = "a run from the token of the run before"
        let rule = "fetch the changes since context.syncToken"
        if let changes = await report.expect(run, rule: rule, { try await self.walk(target, in: later) }) {
            report.require(changes.steps.last?.page.next == nil, "\(run) does not end: leave next nil on the last page")
            let isTree = target.layout?.isTree ?? false
            if let last = changes.steps.last {
                checkCount(changes.count(isTree: isTree), of: run, lastPage: last.page, &report)
            }
            let known = Set(walk.ids(level: 0, idField: target.idField))
            let deleted = Set(changes.steps.flatMap { $0.page.deletedIds.first ?? [] })
            report.require(
                known.isDisjoint(with: deleted),
                "\(run) reports the deletion of records that the run before returned, \(known.intersection(deleted).sorted()), and "
                    + "the server has not changed: \(rule)")
        }
        later.syncToken = Self.foreignText
        do {
            let changes = try await self.walk(target, in: later)
            report.note(
                "the server does not know the token, and the target returns \(changes.count(isTree: false)) record(s), so changes "
                    + "would be missed: throw SoupError cursorExpired, and let the suite's server reject unknown tokens"
            )
        } catch let error as SoupError where error.code == .cursorExpired {
        } catch {
            report.note(
                "the server does not know the token, and the target threw \(error.quoted): throw SoupError cursorExpired, so that "
                    + "the engine fetches everything again")
        }
    }
}

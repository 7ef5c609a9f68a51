// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// All pages of a run, with the cursor of each.
struct PageWalk {
    struct Step {
        var cursor: PageCursor?
        var page: RecordPage
        /// The cursors that were announced while the page was fetched.
        var announced: [PageCursor] = []
    }

    var steps: [Step] = []

    /// Returns the number of records; for trees, the number of parents.
    func count(isTree: Bool) -> Int {
        steps.reduce(0) { sum, step in
            sum + step.page.levels.prefix(isTree ? 1 : step.page.levels.count).reduce(0) { $0 + $1.count }
        }
    }

    /// Returns the IDs of the records of one level, in order.
    func ids(level: Int, idField: String) -> [String] {
        steps.flatMap { $0.page.ids(level: level, idField: idField) }
    }

    /// Returns the `attributes.type` of the records of one level; nil if they have none.
    func objectType(level: Int) -> String? {
        steps.lazy.compactMap { step in
            guard step.page.levels.indices.contains(level), step.page.levels[level].count > 0 else { return nil }
            return step.page.levels[level][0].value["attributes"]?["type"]?.stringValue
        }.first
    }
}

extension RecordPage {
    /// Returns the server IDs of the records of one level; an empty text if a record has none.
    func ids(level: Int, idField: String) -> [String] {
        guard levels.indices.contains(level) else { return [] }
        return (0..<levels[level].count).map { levels[level].text(of: idField, at: $0) ?? "" }
    }
}

extension RecordBatch {
    /// Returns the text of a member of a record as it will be stored, with the record's own stamp applied.
    func text(of field: String, at index: Int) -> String? {
        if let member = stampedMember(field, of: index) {
            return member.value?.string ?? member.value?.description
        }
        return self[index].value[field]?.idText
    }

    /// Returns the date of a record in milliseconds, with the record's own stamp applied; nil without a valid one.
    func date(of field: String, in format: RecordDateFormat, at index: Int) -> Int64? {
        if let member = stampedMember(field, of: index) { return format.milliseconds(in: member.value) }
        return format.milliseconds(in: self[index].value[field])
    }
}

extension SyncDownTargetSuite {
    /// Reads all pages from `cursor` on.
    func walk(_ target: Target, from cursor: PageCursor? = nil, in context: SyncContext) async throws -> PageWalk {
        var walk = PageWalk()
        var cursor = cursor
        var context = context
        repeat {
            try Task.checkCancellation()
            let (stream, announcements) = AsyncStream.makeStream(of: PageCursor.self)
            context.announceNext = { announcements.yield($0) }
            let page = try await target.page(after: cursor, in: context)
            announcements.finish()
            walk.steps.append(
                .init(cursor: cursor, page: page, announced: await stream.reduce(into: []) { $0.append($1) }))
            cursor = page.next
        } while cursor != nil && walk.steps.count < maximumPages
        return walk
    }

    func checkPaging(_ target: Target, _ report: inout SuiteReport) async -> PageWalk? {
        let transport = ScriptedTransport(server: server)
        let walk = await report.expect(
            "the server responds to every request of a run, and page(after:in:)",
            rule: "return pages until one has no next cursor"
        ) { try await self.walk(target, in: context(transport)) }
        guard let walk, let last = walk.steps.last else { return nil }
        report.require(
            !transport.requests.isEmpty,
            "a whole run made no request through context.transport: send every request through it, because other requests "
                + "have no session and their failures cannot be tested")
        report.require(
            last.page.next == nil,
            "the run does not end, and page \(maximumPages) still has a next cursor: leave next nil on the last page")
        let cursors = walk.steps.compactMap(\.page.next)
        report.require(
            Set(cursors).count == cursors.count,
            "two pages have the same next cursor: give every page its own next cursor")
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.announced.allSatisfy { $0 == step.page.next },
                "page \(number) announced a cursor that is not its next cursor: announce the next cursor, because the engine "
                    + "requests the announced page")
        }
        checkPageCount(walk, &report)
        checkNumbers(transport.requests, of: walk.steps.map(\.page), &report)
        let records = checkSizes(walk, of: target, &report)
        checkCount(records, of: "a whole run", lastPage: last.page, &report)
        report.require(
            records > 0,
            "the suite's server returned no records, so nothing was tested: add a few records to the server")
        return last.page.next == nil ? walk : nil
    }

    /// Checks the number of levels of each page, and the total size.
    ///
    /// - Returns: the number of records of the run; for trees, the number of parents.
    private func checkSizes(_ walk: PageWalk, of target: Target, _ report: inout SuiteReport) -> Int {
        let count = target.layout?.levels.count ?? 1
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.page.levels.count == count,
                "page \(number) has \(step.page.levels.count) level(s) and the layout has \(count): return a batch for each level "
                    + "of the layout, even if it is empty")
        }
        let isTree = target.layout?.isTree ?? false
        let records = walk.count(isTree: isTree)
        for total in Set(walk.steps.compactMap(\.page.totalSize)) {
            report.require(
                total == records,
                "totalSize is \(total), but the run has \(records) records: set it to the number of records of the whole run, "
                    + "or leave it nil")
        }
        return records
    }

    /// Checks that there is a second page, which the tests of paging, ending and resuming need.
    private func checkPageCount(_ walk: PageWalk, _ report: inout SuiteReport) {
        if singlePage {
            report.require(
                walk.steps.count == 1,
                "singlePage is set, but the target requests a second page: remove singlePage")
        } else {
            report.require(
                walk.steps.count > 1,
                "all records are on one page, so repeating, ending and resuming pages was not tested: set RecordPage.next if the "
                    + "server sends a cursor, add records to the server for a second page, or set singlePage: true if it has "
                    + "no pages")
        }
    }

    func checkRecords(_ target: Target, in walk: PageWalk, _ report: inout SuiteReport) {
        let levels =
            target.layout?.levels ?? [
                .init(
                    soup: context.soup, idField: target.idField, modificationDateField: target.modificationDateField,
                    dateFormat: target.dateFormat)
            ]
        if let parent = target.layout?.levels.first {
            report.require(
                parent.idField == target.idField && parent.modificationDateField == target.modificationDateField,
                "idField and modificationDateField differ from those of the first level of the layout: make them equal")
        }
        for (number, level) in levels.enumerated() {
            let ids = walk.ids(level: number, idField: level.idField)
            report.require(
                !ids.contains(""),
                "a record of level \(number) has no text or number in its ID field \(level.idField): set idField to the field of "
                    + "the server's ID, and fetch it with every record")
            report.require(
                number == 0 || !ids.isEmpty,
                "the suite's server returned no records of level \(number) (\(level.soup)), so it was not tested: add some to the "
                    + "server")
        }
        checkChildren(of: levels, in: walk, &report)
        checkDates(of: levels, in: walk, &report)
        guard target.ordersByModificationDate else { return }
        let dates = self.dates(target, walk)
        report.require(
            dates.allSatisfy { $0 != nil },
            "ordersByModificationDate is true, but a record has no valid date in \(target.modificationDateField): fetch a "
                + "date in the form of dateFormat with every record, or return false")
        let known = dates.compactMap { $0 }
        report.require(
            known == known.sorted(),
            "ordersByModificationDate is true, but the records have another order, so an interrupted run would miss "
                + "records: request the order from the server, or return false")
    }

    /// Checks the dates: a record without a date cannot advance the high-water mark, so a later run misses it or
    /// fetches everything.
    private func checkDates(of levels: [RecordLayout.Level], in walk: PageWalk, _ report: inout SuiteReport) {
        guard !undated else { return }
        for (number, level) in levels.enumerated() {
            let dates = walk.steps.flatMap { step -> [Int64?] in
                guard step.page.levels.indices.contains(number) else { return [] }
                let batch = step.page.levels[number]
                return (0..<batch.count).map { index in
                    batch.date(of: level.modificationDateField, in: level.dateFormat, at: index)
                }
            }
            let missing = dates.count { $0 == nil }
            // If there is no date at all, the check of the high-water mark reports it.
            guard missing > 0, number > 0 || missing < dates.count else { continue }
            report.note(
                "\(missing) of \(dates.count) record(s) of level \(number) have no valid date in \(level.modificationDateField), so "
                    + "later runs miss their changes: fetch a date in the form of dateFormat with every record, or set "
                    + "undated: true if the records have no dates")
        }
    }

    /// Checks the number of records: a run fails if it differs from the number on its last page.
    func checkCount(_ count: Int, of run: String, lastPage: RecordPage, _ report: inout SuiteReport) {
        report.require(
            lastPage.check(count: count) == .complete,
            "\(run) has \(count) record(s), and expectedCount of its last page is "
                + "\(lastPage.expectedCount.map { "\($0)" } ?? "nil"), so the run fails: set expectedCount to the number of "
                + "records on all pages of the run, or leave it nil")
    }

    private func checkChildren(of levels: [RecordLayout.Level], in walk: PageWalk, _ report: inout SuiteReport) {
        for (number, level) in levels.enumerated() {
            guard let parentIdField = level.parentIdField, number > 0 else { continue }
            for step in walk.steps {
                let parents = Set(step.page.ids(level: 0, idField: levels[0].idField))
                let named = step.page.ids(level: number, idField: parentIdField)
                report.require(
                    parents.isSuperset(of: named),
                    "a child has a parent ID in \(parentIdField) that is not on its page: return children on the page of their "
                        + "parent"
                )
            }
        }
    }

    /// Returns the modification dates of the records of level 0.
    func dates(_ target: Target, _ walk: PageWalk) -> [Int64?] {
        walk.steps.flatMap { step -> [Int64?] in
            guard let batch = step.page.levels.first else { return [] }
            return (0..<batch.count).map { index in
                batch.date(of: target.modificationDateField, in: target.dateFormat, at: index)
            }
        }
    }

    func checkResuming(_ walk: PageWalk, _ report: inout SuiteReport) async {
        let rule =
            "store everything that the next page needs in the cursor, and return the same records for the same cursor"
        for (number, step) in walk.steps.enumerated() {
            guard let target = fresh() else {
                return report.note("the target cannot be created a second time from the same configuration: \(rule)")
            }
            let rest = await report.expect("resuming at page \(number) with a new target", rule: rule) {
                try await self.walk(target, from: step.cursor, in: context)
            }
            guard let rest else { continue }
            let expected = PageWalk(steps: Array(walk.steps[number...])).ids(level: 0, idField: target.idField)
            report.require(
                rest.ids(level: 0, idField: target.idField) == expected,
                "resuming at page \(number) with a new target returns other records than the first time: \(rule)")
            report.require(
                rest.steps.map(\.page.deletedIds) == walk.steps[number...].map(\.page.deletedIds),
                "resuming at page \(number) with a new target returns other deletedIds than the first time: \(rule)")
        }
    }

    func checkHighWaterMark(_ target: Target, after walk: PageWalk, _ report: inout SuiteReport) async {
        let ids = walk.ids(level: 0, idField: target.idField)
        let dates = self.dates(target, walk)
        let known = Set(dates.compactMap { $0 }).sorted()
        guard let mark = mark(among: known, of: walk, target, &report) else { return }
        for inclusive in [true, false] {
            var later = context
            later.highWaterMark = HighWaterMark(milliseconds: mark, inclusive: inclusive)
            let run = "a run from a high-water mark (\(inclusive ? "inclusive" : "exclusive"))"
            let resync = await report.expect(
                run, rule: "fetch the records that changed since context.highWaterMark"
            ) {
                try await self.walk(target, in: later)
            }
            guard let resync else { continue }
            let isTree = target.layout?.isTree ?? false
            if let last = resync.steps.last {
                checkCount(resync.count(isTree: isTree), of: run, lastPage: last.page, &report)
            }
            let found = Set(resync.ids(level: 0, idField: target.idField))
            let missing = zip(ids, dates).filter { id, date in
                guard let date, !found.contains(id) else { return false }
                return inclusive ? date >= mark : date > mark
            }
            report.require(
                missing.isEmpty,
                "\(run) misses \(missing.map(\.0)): fetch every record whose date is \(inclusive ? "at or " : "")after the mark; "
                    + "additional records are allowed")
            report.require(
                found.isSubset(of: ids),
                "\(run) returns records that a full run does not return: use the query of the full run with one more condition"
            )
        }
    }

    /// Returns a date with a record at it and one after it, so that both forms of the mark exclude a record.
    private func mark(
        among dates: [Int64], of walk: PageWalk, _ target: Target, _ report: inout SuiteReport
    ) -> Int64? {
        guard !undated else {
            report.require(
                dates.isEmpty,
                "undated is set, but records have dates in \(target.modificationDateField): remove undated"
            )
            return nil
        }
        guard dates.count > 1 else {
            report.note(
                dates.isEmpty
                    ? undatedViolation(target, walk)
                    : "all records have the same modification date, so the high-water mark was not tested: add records to the "
                        + "server that changed at different times")
            return nil
        }
        return dates[(dates.count - 1) / 2]
    }

    /// The violation of a target whose records have no valid date: with another form of date, or without the field.
    private func undatedViolation(_ target: Target, _ walk: PageWalk) -> String {
        let field = target.modificationDateField
        let records = walk.steps.compactMap(\.page.levels.first).flatMap { batch in (0..<batch.count).map { batch[$0] }
        }
        let value = records.lazy.compactMap { $0[JSONPath(field)] }.first { !$0.isNull }
        guard let value else {
            return
                "no record has a valid date in \(field), so the high-water mark was not tested: set modificationDateField to "
                + "the field of the date, or set undated: true if there is none"
        }
        return
            "no record has a valid date in \(field), so the high-water mark was not tested: it contains \(value), and dates "
            + "must be ISO 8601, so set the member with RecordBatch.stamping and DateText.format"
    }
}

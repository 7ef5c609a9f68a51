// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// All pages of a run, with the cursor of each.
struct PageWalk {
    struct Step {
        var cursor: PageCursor?
        var page: Page
        /// The cursors that were announced while the page was fetched.
        var announced: [PageCursor] = []
    }

    var steps: [Step] = []

    /// Returns the IDs of the records of one part, in order.
    func ids(part: Int, idField: String) -> [String] {
        steps.flatMap { $0.page.ids(part: part, idField: idField) }
    }
}

extension Page {
    /// Returns the server IDs of the records of one part; an empty text if a record has none.
    func ids(part: Int, idField: String) -> [String] {
        guard parts.indices.contains(part) else { return [] }
        return (0..<parts[part].count).map { parts[part].text(of: idField, at: $0) ?? "" }
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
            "the server answers every request of a run from the first page on, and page(after:in:)",
            rule: "bring the pages, until one has no next cursor"
        ) { try await self.walk(target, in: context(transport)) }
        guard let walk, let last = walk.steps.last else { return nil }
        report.require(
            !transport.requests.isEmpty,
            "a whole run made no request through context.transport: send every request there, or it goes without the "
                + "session and its failures cannot be tested")
        report.require(
            last.page.next == nil,
            "there is no end, after \(maximumPages) pages there is still a next one: leave next nil on the last page")
        let cursors = walk.steps.compactMap(\.page.next)
        report.require(
            Set(cursors).count == cursors.count,
            "a cursor leads to a page that was there before: every page needs a next cursor of its own")
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.announced.allSatisfy { $0 == step.page.next },
                "page \(number) announced another next cursor than it has: announce that one, or a request is made in "
                    + "vain for every page")
        }
        checkPageCount(walk, &report)
        let count = target.layout?.parts.count ?? 1
        for (number, step) in walk.steps.enumerated() {
            report.require(
                step.page.parts.count == count,
                "page \(number) has \(step.page.parts.count) part(s) and the layout has \(count): give each part of the "
                    + "layout a batch, empty or not")
        }
        let isTree = target.layout?.isTree ?? false
        let records = walk.steps.reduce(0) { sum, step in
            // For trees only the parents are counted.
            sum + step.page.parts.prefix(isTree ? 1 : step.page.parts.count).reduce(0) { $0 + $1.count }
        }
        for total in Set(walk.steps.compactMap(\.page.totalSize)) {
            report.require(
                total == records,
                "the total size is told as \(total), but \(records) records came: tell how many the whole run brings, or "
                    + "leave totalSize nil")
        }
        checkCount(last.page, records, "a whole run", &report)
        report.require(
            records > 0, "the server given to the suite brings no record, so nothing was tested: let it hold a few")
        return last.page.next == nil ? walk : nil
    }

    /// Checks that there is a second page, which the tests of paging, ending and resuming need.
    private func checkPageCount(_ walk: PageWalk, _ report: inout SuiteReport) {
        if singlePage {
            report.require(
                walk.steps.count == 1,
                "the suite was told singlePage, and the target asks for a second page: take singlePage away")
        } else {
            report.require(
                walk.steps.count > 1,
                "everything came on one page, so that pages repeat, end and resume was not tested: let the server hold "
                    + "more than one page, or say singlePage: true when it has no pages")
        }
    }

    func checkRecords(_ target: Target, _ walk: PageWalk, _ report: inout SuiteReport) {
        let parts =
            target.layout?.parts ?? [
                .init(
                    soup: context.soup, idField: target.idField, modificationDateField: target.modificationDateField)
            ]
        if let parent = target.layout?.parts.first {
            report.require(
                parent.idField == target.idField && parent.modificationDateField == target.modificationDateField,
                "idField and modificationDateField are not those of the first part of the layout: let them be the same")
        }
        for (number, part) in parts.enumerated() {
            let ids = walk.ids(part: number, idField: part.idField)
            report.require(
                !ids.contains(""),
                "a record of part \(number) has no text or number in its id field \(part.idField): name the field that "
                    + "holds the server's id in idField, and bring it with every record")
            report.require(
                number == 0 || !ids.isEmpty,
                "no record of part \(number) (\(part.soup)) came, so it was not tested: let the server hold some")
        }
        checkChildren(parts, walk, &report)
        checkDates(parts, walk, &report)
        guard target.ordersByModificationDate else { return }
        let dates = self.dates(target, walk)
        report.require(
            dates.allSatisfy { $0 != nil },
            "it promises to order by date, but a record has no date that can be read in \(target.modificationDateField): "
                + "bring an ISO 8601 date with every record, or leave ordersByModificationDate false")
        let known = dates.compactMap { $0 }
        report.require(
            known == known.sorted(),
            "it promises to order by date, and does not, so that records would be missed after a broken run: ask the "
                + "server for that order, or leave ordersByModificationDate false")
    }

    /// Checks the dates: a record without a date cannot advance the high-water mark, so a later run misses it or
    /// fetches everything.
    private func checkDates(_ parts: [RecordLayout.Part], _ walk: PageWalk, _ report: inout SuiteReport) {
        guard !undated else { return }
        for (number, part) in parts.enumerated() {
            let dates = walk.steps.flatMap { step -> [Int64?] in
                guard step.page.parts.indices.contains(number) else { return [] }
                let batch = step.page.parts[number]
                return (0..<batch.count).map { index in
                    batch.text(of: part.modificationDateField, at: index).flatMap { Timestamp.parse($0) }
                }
            }
            let missing = dates.count { $0 == nil }
            // If there is no date at all, the check of the high-water mark reports it.
            guard missing > 0, number > 0 || missing < dates.count else { continue }
            report.note(
                "\(missing) of \(dates.count) record(s) of part \(number) have no date that can be read in "
                    + "\(part.modificationDateField), and later runs miss their changes: fetch or stamp an ISO 8601 date with "
                    + "every record, or say undated: true when the target has none")
        }
    }

    /// Checks the number of records: a run fails if it differs from the number on its last page.
    func checkCount(_ last: Page, _ count: Int, _ what: String, _ report: inout SuiteReport) {
        report.require(
            last.check(count: count) == .complete,
            "\(what) has \(count) record(s), and expectedCount of its last page is \(last.expectedCount.map { "\($0)" } ?? "nil"), so the "
                + "run fails: let expectedCount be the number of records on all pages of that run, or leave it nil")
    }

    private func checkChildren(_ parts: [RecordLayout.Part], _ walk: PageWalk, _ report: inout SuiteReport) {
        for (number, part) in parts.enumerated() {
            guard let parentIdField = part.parentIdField, number > 0 else { continue }
            for step in walk.steps {
                let parents = Set(step.page.ids(part: 0, idField: parts[0].idField))
                let named = step.page.ids(part: number, idField: parentIdField)
                report.require(
                    parents.isSuperset(of: named),
                    "a child names a parent in \(parentIdField) that is not on its page: bring children with their parent"
                )
            }
        }
    }

    /// Returns the modification dates of the records of part 0.
    func dates(_ target: Target, _ walk: PageWalk) -> [Int64?] {
        walk.steps.flatMap { step -> [Int64?] in
            guard let batch = step.page.parts.first else { return [] }
            return (0..<batch.count).map { index in
                batch.text(of: target.modificationDateField, at: index).flatMap { Timestamp.parse($0) }
            }
        }
    }

    func checkResuming(_ walk: PageWalk, _ report: inout SuiteReport) async {
        let rule = "all that leads to the next page belongs in the cursor, and the same cursor brings the same records"
        for (number, step) in walk.steps.enumerated() {
            guard let target = fresh() else {
                return report.note("the target cannot be made a second time from the same configuration: \(rule)")
            }
            let rest = await report.expect("resuming at page \(number) with a fresh target", rule: rule) {
                try await self.walk(target, from: step.cursor, in: context)
            }
            guard let rest else { continue }
            let expected = PageWalk(steps: Array(walk.steps[number...])).ids(part: 0, idField: target.idField)
            report.require(
                rest.ids(part: 0, idField: target.idField) == expected,
                "resuming at page \(number) with a fresh target brings other records than the first time: \(rule)")
        }
    }

    func checkHighWaterMark(_ target: Target, _ walk: PageWalk, _ report: inout SuiteReport) async {
        let ids = walk.ids(part: 0, idField: target.idField)
        let dates = self.dates(target, walk)
        let known = Set(dates.compactMap { $0 }).sorted()
        guard let mark = mark(among: known, target, &report) else { return }
        for inclusive in [true, false] {
            var later = context
            later.highWaterMark = HighWaterMark(time: mark, inclusive: inclusive)
            let what = "a run from a high-water mark (\(inclusive ? "inclusive" : "exclusive"))"
            let resync = await report.expect(what, rule: "bring what changed since context.highWaterMark") {
                try await self.walk(target, in: later)
            }
            guard let resync else { continue }
            let isTree = target.layout?.isTree ?? false
            let count = resync.steps.reduce(0) { sum, step in
                sum + step.page.parts.prefix(isTree ? 1 : step.page.parts.count).reduce(0) { $0 + $1.count }
            }
            if let last = resync.steps.last { checkCount(last.page, count, what, &report) }
            let found = Set(resync.ids(part: 0, idField: target.idField))
            let missing = zip(ids, dates).filter { id, date in
                guard let date, !found.contains(id) else { return false }
                return inclusive ? date >= mark : date > mark
            }
            report.require(
                missing.isEmpty,
                "\(what) misses \(missing.map(\.0)): bring every record whose date is \(inclusive ? "at or " : "")after it; "
                    + "more is allowed, less is not")
            report.require(
                found.isSubset(of: ids),
                "\(what) brings records that a full run does not: it is the same query with one condition more")
        }
    }

    /// Returns a date with a record at it and one after it, so that both forms of the mark exclude a record.
    private func mark(among dates: [Int64], _ target: Target, _ report: inout SuiteReport) -> Int64? {
        guard !undated else {
            report.require(
                dates.isEmpty,
                "the suite was told undated, and records carry dates in \(target.modificationDateField): take undated away"
            )
            return nil
        }
        guard dates.count > 1 else {
            report.note(
                dates.isEmpty
                    ? "no record has a date that can be read in \(target.modificationDateField), so the high-water mark was "
                        + "not tested: name the field in modificationDateField, or say undated: true when there is none"
                    : "all records have one modification date, so the high-water mark was not tested: let the server hold "
                        + "records that changed at different times")
            return nil
        }
        return dates[(dates.count - 1) / 2]
    }
}

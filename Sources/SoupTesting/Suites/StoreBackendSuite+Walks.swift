// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension StoreBackendSuite {
    /// Checks walks over a query by positions, and by page numbers followed by positions.
    func checkWalk(over spec: QuerySpec, in store: any StoreBackend, _ report: inout SuiteReport) async {
        var whole = spec
        whole.pageSize = 1000
        // A walk without an order path is ordered by ID.
        if !spec.isSmart && spec.orderPath == nil {
            (whole.orderPath, whole.order) = (JSONPath(EntryField.entryId), .ascending)
        }
        let found = await report.expect(
            "the suite walked over \(spec.described), and the store", rule: "return the rows"
        ) {
            [whole] in
            try await store.read { reader in
                (
                    rows: try reader.query(whole).texts, walked: try Self.walk(reader, spec, from: nil),
                    streamed: try Self.stream(reader, spec),
                    jumped: try (0...5).map { try Self.walk(reader, spec, from: $0) }
                )
            }
        }
        guard let (rows, walked, streamed, jumped) = found else { return }
        report.require(
            rows.count == 24, "\(spec.described) returned \(rows.count) of 24 rows: return all rows that were written")
        report.require(
            walked == rows,
            "\(spec.described) returned different rows in several pages than on one page: return every row once, in the same "
                + "order")
        report.require(
            streamed.flatMap(\.self) == rows && streamed.allSatisfy { !$0.isEmpty && $0.count <= spec.pageSize },
            "walk(_:arguments:_:) returned different rows of \(spec.described) than one page: return every row once, in the "
                + "same order, in pages of at most pageSize rows")
        for (number, found) in jumped.enumerated() {
            report.require(
                found == Array(rows.dropFirst(number * spec.pageSize)),
                "from page \(number) on, \(spec.described) returned different rows than on one page: count the pages of "
                    + "positionedPage in the order of query(_:after:arguments:), and return the position of the next page"
            )
        }
        checkRows(rows, of: spec, &report)
    }

    private func checkRows(_ rows: [JSONText], of spec: QuerySpec, _ report: inout SuiteReport) {
        for row in rows {
            guard let read = try? JSONText(Array(row.bytes)[...]), read == row else {
                return report.note("\(spec.described) returned the row \(row): return every row as one JSON value")
            }
            if spec.yieldsEntries { continue }
            report.require(
                row.value.arrayValue?.count == 3 && row.value[2]?.objectValue != nil,
                "\(spec.described) returned the row \(row): return a row as an array of its columns, with a whole entry as an "
                    + "object"
            )
        }
    }

    /// Returns all rows from the first page on, or from the page with a number.
    private static func walk(_ reader: any StoreReader, _ spec: QuerySpec, from number: Int?) throws -> [JSONText] {
        var page =
            try number.map { try reader.positionedPage($0, of: spec, arguments: []) }
            ?? reader.query(spec, after: nil, arguments: [])
        var rows = page.page.texts
        // A store whose pages never end must not block the suite.
        while let next = page.next, rows.count < 100 {
            page = try reader.query(spec, after: next, arguments: [])
            rows += page.page.texts
        }
        return rows
    }

    /// Returns all pages that the reader returns in one walk.
    private static func stream(_ reader: any StoreReader, _ spec: QuerySpec) throws -> [[JSONText]] {
        var pages: [[JSONText]] = []
        try reader.walk(spec, arguments: []) { page in
            pages.append(page.texts)
            return pages.count < 100
        }
        return pages
    }

    /// Checks that the position of a query is rejected by other queries.
    func checkForeignPositions(
        of spec: QuerySpec, in store: any StoreBackend, _ report: inout SuiteReport
    ) async {
        let first = await report.expect(
            "the suite read the first page of \(spec.described), and the store", rule: "return the page"
        ) {
            try await store.read { try $0.query(spec, after: nil, arguments: []) }
        }
        guard let first else { return }
        guard let position = first.next else {
            return report.note(
                "the first page of \(spec.described) is full and has no next position: return the position of the next page"
            )
        }
        for (name, other) in spec.otherQueries {
            await requireRejection(
                of: position, by: other, in: store, situation: "of \(spec.described) to \(name)", &report)
        }
        let elsewhere = QueryPosition(position.anchor, in: spec, backend: "another-backend")
        await requireRejection(
            of: elsewhere, by: spec, in: store, situation: "of \(spec.described) on another backend", &report)
    }

    private func requireRejection(
        of position: QueryPosition, by spec: QuerySpec, in store: any StoreBackend, situation: String,
        _ report: inout SuiteReport
    ) async {
        let rule = "reject it with badQuerySpec, with the help of QueryPosition.place(in:arguments:backend:)"
        do {
            _ = try await store.read { try $0.query(spec, after: position, arguments: []) }
            report.note("the suite passed a position \(situation), and the store accepted it: \(rule)")
        } catch {
            report.require(
                (error as? SoupError)?.code == .badQuerySpec,
                "the suite passed a position \(situation), and the store threw \(error.quoted): \(rule)")
        }
    }

    /// Checks a store after it is closed.
    func checkClosing(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let changes = store.changes(in: ["things"])
        for _ in 0..<2 {
            await report.expect("the suite closed the store, and close", rule: "allow a store to be closed twice") {
                try await store.close()
            }
        }
        do {
            _ = try await store.read { try $0.soupNames() }
            report.note("a closed store can be read: throw SoupError.storeClosed")
        } catch {
            report.require(
                (error as? SoupError)?.isStoreClosed == true,
                "reading a closed store threw \(error.quoted): throw SoupError.storeClosed")
        }
        for stream in [changes, store.changes(in: ["things"])] {
            // If the stream does not end, cancelling the task ends it.
            let begun = AsyncStream.makeStream(of: Void.self)
            let listener = Task {
                begun.continuation.finish()
                for await _ in stream {}
                return !Task.isCancelled
            }
            let watch = Task {
                for await _ in begun.stream {}
                // Other programs can delay the listener, so a store that fails is given much time.
                for _ in 0..<100_000 where !Task.isCancelled { await Task.yield() }
                listener.cancel()
            }
            report.require(
                await listener.value,
                "changes(in:) of a closed store does not end: finish its streams when the store is closed")
            watch.cancel()
        }
    }
}

extension QuerySpec {
    /// The query as part of a sentence.
    fileprivate var described: String {
        if isSmart { return "a Smart SQL query" }
        let name = selectPaths == nil ? "the query for all entries" : "the like query"
        return orderPath.map { "\(name) ordered by \"\($0)\" \(order)" } ?? name
    }

    /// Queries that differ from this one, with a description of each.
    fileprivate var otherQueries: [(name: String, spec: QuerySpec)] {
        func changed(_ change: (inout QuerySpec) -> Void) -> QuerySpec {
            var spec = self
            change(&spec)
            return spec
        }
        if isSmart {
            return [
                ("a query with another text", changed { $0.kind = .smart(smartSQL + " desc") }),
                ("a query with another page size", changed { $0.pageSize += 1 }),
                ("a query spec", .all("things", pageSize: pageSize)),
            ]
        }
        let other: [(name: String, spec: QuerySpec)] = [
            ("a query of another soup", changed { $0.soup = "others" }),
            ("a query with another order path", changed { $0.orderPath = orderPath == "name" ? "size" : "name" }),
            ("a query with another condition", changed { $0.kind = .exact(path: "name", key: "n1") }),
        ]
        if orderPath == nil { return other }
        return other + [
            ("a query in the other order", changed { $0.order = order == .ascending ? .descending : .ascending })
        ]
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import SoupKit

/// The command `soup query`.
struct Query: SoupCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a Smart SQL query or a query spec.",
        discussion: """
            With --json prints one row a line: an array for Smart SQL and for select paths, an object for whole entries.

            A query spec is an object with the keys of the JavaScript API: {"queryType": "exact", "soupName": "contacts", \
            "indexPath": "LastName", "matchKey": "Adler"}. queryType is exact (matchKey), range (beginKey, endKey), like \
            (likeKey), match (matchKey) or smart (smartSql); selectPaths, orderPath, order and pageSize go with all. A match \
            query with orderPath "_soupRank" gives the best matches first.

            --explain prints the steps of SQLite's query plan, with --json {"plan": [...]}: SEARCH ... USING INDEX is \
            what one hopes for.
            """)

    @Argument(
        help: ArgumentHelp("Smart SQL, such as 'select {contacts:Name} from {contacts}'.", valueName: "smart-sql"))
    var sql: String?

    @Option(help: ArgumentHelp("A file with a query spec; - for standard input.", valueName: "file"))
    var spec: String?

    @Option(help: "The soup of a query spec that does not name one.")
    var soup: String?

    @Option(parsing: .unconditional, help: "Only this page of the result, counted from 0.")
    var page: Int?

    @Option(parsing: .unconditional, help: "Rows a page.")
    var pageSize: Int?

    @Flag(help: "Tell how the store would run the query, and run nothing.")
    var explain = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (sql == nil) != (spec == nil) else { throw ValidationError("Give either Smart SQL or --spec.") }
        if let page, page < 0 { throw ValidationError("Pages are counted from 0.") }
        if let pageSize, pageSize < 1 { throw ValidationError("A page has at least one row.") }
    }

    func perform(_ console: Console) async throws {
        let query = try await query()
        let store = try await options.openStore()
        try await remarkUnindexed(query, in: store, console)
        if explain {
            let steps = try await store.plan(of: query)
            console.event(["plan": .array(steps.map { .string($0) })])
            return steps.forEach(console.say)
        }
        var table = Table([], widest: 48)
        var count = 0
        var number = page ?? 0
        while true {
            let rows = try await store.query(query, page: number)
            count += rows.count
            for text in rows.texts {
                if console.isJSON || query.yieldsEntries {
                    console.emit(text)
                } else {
                    table.add((text.value.arrayValue ?? []).map(\.cell))
                }
            }
            guard page == nil, rows.count == query.pageSize else { break }
            try Task.checkCancellation()
            number += 1
        }
        console.table(table)
        if count == 0 { console.remark("no rows") }
    }

    /// Paths that no index knows are read from the text of every entry: slow when meant, and mostly a slip.
    private func remarkUnindexed(_ query: QuerySpec, in store: SmartStore, _ console: Console) async throws {
        guard case .smart(let text) = query.kind else { return }
        var seen: Set<SmartSQL.Reference> = []
        for case .reference(let reference) in try SmartSQL(text).pieces where seen.insert(reference).inserted {
            guard let path = reference.path, !EntryField.own.contains(path.rawValue),
                let indexed = try? await store.indexSpecs(of: reference.soup).map(\.path.rawValue),
                !indexed.contains(path.rawValue)
            else { continue }
            let nearest = NameDistance.nearest(to: path.rawValue, in: indexed).map { "; did you mean \"\($0)\"?" } ?? ""
            console.remark("note: \"\(path)\" is no index of \(reference.soup), so every entry is read\(nearest)")
        }
    }

    private func query() async throws -> QuerySpec {
        if let sql { return .smart(sql, pageSize: pageSize ?? 500) }
        let json = try await JSONInput.value(from: spec ?? "-")
        let own = json["soupName"]?.stringValue
        if let own, let soup, own != soup {
            throw ValidationError("The spec names the soup \"\(own)\" itself, and --soup another, \"\(soup)\".")
        }
        let name = own ?? soup
        var query = try QuerySpec(json: json, soup: name.map { SoupName($0) })
        if let pageSize { query.pageSize = pageSize }
        return query
    }
}

#endif

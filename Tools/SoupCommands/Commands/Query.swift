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
            With --json prints one row per line: an array for Smart SQL and for select paths, an object for whole entries.

            A query spec is an object with the keys of the JavaScript API: {"queryType": "exact", "soupName": "contacts", \
            "indexPath": "LastName", "matchKey": "Adler"}. queryType is exact (matchKey), range (beginKey, endKey), like \
            (likeKey), match (matchKey), all or smart (smartSql, args). All types can have selectPaths, orderPath, order and \
            pageSize. A match query with orderPath "_soupRank" returns the best matches first.

            The arguments after Smart SQL are the values of its ? parameters: valid JSON is a JSON value, any other argument \
            is text; '"5"' is the text 5.

            Rows of Smart SQL and of select paths are printed as a table. On a terminal, texts that do not fit its width \
            are cut, except with --wide; the output to a pipe or a file contains them in full.

            Rows that are printed one by one, with --json or for whole entries, come from one snapshot. While a program that \
            reads them, such as less, pauses, a SQLite store cannot empty its write-ahead log, which grows with every write.

            --explain prints the steps of SQLite's query plan, with --json {"plan": [...]}: SEARCH ... USING INDEX means \
            that an index serves the query.
            """)

    @Argument(
        help: ArgumentHelp("Smart SQL, such as 'select {contacts:Name} from {contacts}'.", valueName: "smart-sql"))
    var sql: String?

    @Argument(help: ArgumentHelp("The values of the ? parameters, in order.", valueName: "arg"))
    var arguments: [String] = []

    @Option(help: ArgumentHelp("A file with a query spec; - for standard input.", valueName: "file"))
    var spec: String?

    @Option(help: "The soup of a query spec that does not name one.")
    var soup: String?

    @Option(parsing: .unconditional, help: "Print only this page of the result, counted from 0.")
    var page: Int?

    @Option(parsing: .unconditional, help: "The number of rows per page.")
    var pageSize: Int?

    @Flag(help: "Print texts in full, whatever the width of the terminal is.")
    var wide = false

    @Flag(help: "Print how the store would run the query, without running it.")
    var explain = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (sql == nil) != (spec == nil) else { throw ValidationError("Give either Smart SQL or --spec.") }
        guard sql != nil || arguments.isEmpty else {
            throw ValidationError("Put the arguments of a query spec into the spec, as \"args\".")
        }
        if let page, page < 0 { throw ValidationError("Give a page of 0 or more: pages are counted from 0.") }
        if let pageSize, pageSize < 1 { throw ValidationError("Give a page size of at least 1.") }
    }

    func perform(_ console: Console) async throws {
        let (query, arguments) = try await query(console)
        let store = try await options.openStore()
        try await noteUnindexedPaths(of: query, arguments: arguments, in: store, on: console)
        if explain {
            let steps = try await store.plan(of: query, arguments: arguments)
            console.event(["plan": .array(steps.map { .string($0) })])
            return steps.forEach { console.print($0) }
        }
        var output = RowOutput(console: console, emits: console.isJSON || query.yieldsEntries)
        if let page {
            output.add(try await store.read { try $0.query(query, page: page, arguments: arguments) })
        } else {
            // One statement for all pages: a query for each page would run as often as there are pages.
            output = try await store.read { [output] reader in
                var output = output
                try reader.walk(query, arguments: arguments) { page in
                    output.add(page)
                    return true
                }
                return output
            }
        }
        console.rows(output.table, whole: wide)
        if output.count == 0 { console.info("no rows") }
    }

    /// Prints a note about each path without an index.
    ///
    /// Such a path is read from the stored text of the entries, which is slow, and often it is misspelt.
    private func noteUnindexedPaths(
        of query: QuerySpec, arguments: [JSONValue], in store: SmartStore, on console: Console
    ) async throws {
        var unindexed: [(soup: SoupName, path: JSONPath, indexed: [String])] = []
        for reference in try query.references {
            guard !(EntryField.own + [EntryField.rank]).contains(reference.path.rawValue),
                let indexed = try? await store.indexSpecs(of: reference.soup).map(\.path.rawValue),
                !indexed.contains(reference.path.rawValue)
            else { continue }
            unindexed.append((reference.soup, reference.path, indexed))
        }
        guard !unindexed.isEmpty else { return }
        let steps = (try? await store.plan(of: query, arguments: arguments)) ?? []
        // SQLite also calls a search of the full-text index a scan, but it reads only the matching rows.
        let scans = steps.isEmpty || steps.contains { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL TABLE") }
        let cost = scans ? "so every entry is read" : "so it is read from the text of the matching entries"
        for (soup, path, indexed) in unindexed {
            var nearest = NameDistance.nearest(to: path.rawValue, in: indexed)
            // A path that entries contain is not misspelt.
            if nearest != nil, let page = try? await store.query(.all(soup, pageSize: 100)),
                page.entries.contains(where: { $0[path] != nil })
            {
                nearest = nil
            }
            console.note(
                "\"\(path)\" is not an index of \(soup), \(cost)", hint: nearest.map { "Did you mean \"\($0)\"?" })
        }
    }

    private func query(_ console: Console) async throws -> (QuerySpec, [JSONValue]) {
        if let sql {
            let values = arguments.map { (try? JSONValue(parsing: $0)) ?? .string($0) }
            return (.smart(sql, pageSize: pageSize ?? 500), values)
        }
        let file = spec ?? "-"
        let document = try await JSONInput.document(from: file)
        let json = document.json ?? .null
        let own = json["soupName"]?.stringValue
        if let own, let soup, own != soup {
            throw ValidationError("The spec names the soup \"\(own)\", but --soup names \"\(soup)\". Omit --soup.")
        }
        do {
            var query = try QuerySpec(json: json, soup: (own ?? soup).map { SoupName($0) })
            for problem in document.located(QuerySpec.warnings(in: json)) { console.warn(problem) }
            if let pageSize { query.pageSize = pageSize }
            return (query, try Self.arguments(of: json))
        } catch let error as SoupError {
            let problem = ConfigurationProblem(
                .error, code: error.code, at: error.place ?? SoupError.Place(), error.message, hint: error.hint)
            throw document.located([problem]).first { $0.severity == .error }?.error ?? error
        }
    }

    private static func arguments(of spec: JSONValue) throws -> [JSONValue] {
        guard let args = spec["args"], !args.isNull else { return [] }
        guard let values = args.arrayValue else {
            throw SoupError(.badQuerySpec, "args must be an array of values", place: SoupError.Place(path: "args"))
        }
        return values
    }
}

/// The output of rows: each row is printed at once, or added to a table that is printed at the end.
private struct RowOutput: Sendable {
    let console: Console
    let emits: Bool
    private(set) var table = TextTable([])
    private(set) var count = 0

    init(console: Console, emits: Bool) {
        self.console = console
        self.emits = emits
    }

    mutating func add(_ page: QueryPage) {
        count += page.count
        for text in page.texts {
            if emits { console.emit(text) } else { table.add((text.value.arrayValue ?? []).map(\.cell)) }
        }
    }
}

extension QuerySpec {
    /// The paths that the query reads, without duplicates.
    fileprivate var references: [(soup: SoupName, path: JSONPath)] {
        get throws {
            var paths: [(soup: SoupName, path: JSONPath)] = []
            if case .smart(let text) = kind {
                for case .reference(let reference) in try SmartSQL(text).pieces {
                    if let path = reference.path { paths.append((reference.soup, path)) }
                }
            } else if let soup {
                let keyPath: JSONPath? =
                    switch kind {
                    case .exact(let path, _), .range(let path, _, _), .like(let path, _): path
                    case .all, .match, .smart: nil
                    }
                paths = ([keyPath, orderPath].compactMap { $0 } + (selectPaths ?? [])).map { (soup, $0) }
            }
            return paths.reduce(into: []) { unique, next in
                if !unique.contains(where: { $0 == next }) { unique.append(next) }
            }
        }
    }
}

#endif

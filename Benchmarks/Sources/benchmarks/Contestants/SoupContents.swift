// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The contents of a soup's table, which must be equal for all contestants: being fast by doing less does not count.
struct SoupContents {
    /// The number of rows, the sums of the indexed columns, and the sums of some members in the JSON of all rows.
    private let facts: String
    /// The total length of the JSON texts, and the first and the last of them; nil if the texts are newly written.
    private let texts: String?

    init(of store: any OpenStore) throws {
        let table = store.table
        let (id, name, revenue) = (table.columns[0], table.columns[1], table.columns[2])
        let database = try RawSQLite(store.path)
        let sql = """
            SELECT count(*), count(DISTINCT \(id)), sum(length(\(name))), sum(\(revenue)), \
            sum(length(json_extract(soup, '$.Description'))), sum(json_extract(soup, '$.NumberOfEmployees')), \
            sum(json_extract(soup, '$.AnnualRevenue')), max(json_extract(soup, '$.LastModifiedDate')), \
            sum(json_extract(soup, '$.__local__') = 0), sum(json_extract(soup, '$.__sync_id__')), \
            sum(\(id) = json_extract(soup, '$.Id')), sum(\(name) = json_extract(soup, '$.Name')) \
            FROM \(table.name)
            """
        facts = "\(try database.run(sql))"
        texts =
            store.keepsTexts
            ? "\(try database.run("SELECT sum(length(soup)), min(soup), max(soup) FROM \(table.name)"))" : nil
        let check = "\(try database.run("PRAGMA integrity_check"))"
        guard check == "\([[RawSQLite.Value.text("ok")]])" else { throw ContestantError("\(store.path): \(check)") }
    }

    /// Checks that all contestants end with the same records.
    static func expectEqual(_ contents: [String: SoupContents], count: Int) throws {
        let facts = Set(contents.values.map(\.facts))
        let texts = Set(contents.values.compactMap(\.texts))
        guard facts.count <= 1, texts.count <= 1, facts.allSatisfy({ $0.contains("integer(\(count))") }) else {
            throw ContestantError(
                "the contestants have different contents:\n"
                    + contents.map { "\($0.key): \($0.value.facts) \($0.value.texts ?? "")" }.joined(separator: "\n"))
        }
    }
}

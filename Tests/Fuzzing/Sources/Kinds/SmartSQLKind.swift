// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
internal import SoupCore

/// Smart SQL that is parsed, converted to SQL, and prepared by SQLite.
struct SmartSQLKind: FuzzKind {
    let name = "smartsql"
    let words = [
        "select ", "from ", "where ", "{contacts}", "{contacts:Name}", "{contacts:_soup}", "{contacts:__local__}",
        "{contacts:a.b}", "{notes:key}", "{contacts:Text}", "{unknown}", "{contacts:}", "{:a}", "{a:b:c}", "MATCH ",
        "'",
        "\"", "`", "[", "]", "--", "/*", "*/", ";", "?", "?1", ":a", "with x as (", ") select ", "insert into ",
        "update ",
        "delete from ", "drop table TABLE_1", "attach 'x' as y", "pragma journal_mode=delete", "vacuum", "replace ",
        "values (1)", "union all ", "order by 1", "limit 5", "returning *", "= 'true'", "= 1", "in (0, 1)", "is not ",
        "count(*)", "recursive ", "explain ", "exists (", "{contacts}.", "c.", " c ", "'{contacts:Text}:a'", "NEAR(",
        "json_extract(", "load_extension('x')", "x'00'", "\0", "{s:a'\u{301})}", "'\u{301}", "{\u{301}", ":\u{301}",
    ]
    let sample: SampleStore

    func check(_ input: [UInt8]) async throws -> String {
        let text = String(decoding: input, as: UTF8.self)
        let query: SmartSQL
        do {
            query = try SmartSQL(text)
        } catch let error as SoupError {
            try requirePlace(error, in: text)
            return outline("\(error.code)", error.message)
        }
        try require(query.text == text, "the text differs from the input")
        let plain = query.pieces.map(\.source).joined()
        let length = plain.utf8.count
        try require(
            length <= text.utf8.count && text.utf8.count - length <= text.utf8.count { $0 == UInt8(ascii: ";") },
            "the pieces are not the text: \(plain)")
        do {
            let sql = try await sample.store.convert(text)
            let reads = try sample.onlyReads(sql)
            try require(reads != false, "SQLite would write: \(sql)")
            return try await plan(of: text, prepares: reads != nil)
        } catch let error as SoupError {
            if error.code != .sql { try requirePlace(error, in: text) }
            return outline("\(error.code)", error.message)
        }
    }

    private func plan(of text: String, prepares: Bool) async throws -> String {
        do {
            try await sample.plan(of: .smart(text, pageSize: 5))
            return "planned"
        } catch let error as SoupError {
            if error.place != nil { try requirePlace(error, in: text) }
            return "\(prepares) " + outline("\(error.code)", String(error.message.prefix(48)))
        }
    }

    private func requirePlace(_ error: SoupError, in text: String) throws {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let (line, column) = (error.place?.line ?? 0, error.place?.column ?? 0)
        try require(
            lines.indices.contains(line - 1) && (1...lines[line - 1].count + 1).contains(column),
            "the error has no place inside the text: \(error)")
    }
}

/// Query specs in JSON, and the Smart SQL that they represent.
///
/// Every spec must return only entries of its own soup, of which the sample has one.
struct QuerySpecKind: FuzzKind {
    let name = "queryspec"
    let words = [
        "\"queryType\":", "\"exact\"", "\"range\"", "\"like\"", "\"match\"", "\"smart\"", "\"indexPath\":", "\"Name\"",
        "\"matchKey\":", "\"likeKey\":", "\"beginKey\":", "\"endKey\":", "\"smartSql\":", "\"select 1\"",
        "\"orderPath\":",
        "\"order\":\"descending\"", "\"pageSize\":", "\"selectPaths\":", "[\"Name\",\"_soup\"]", "null", "\"Text\"",
        "\"a.b\"", "\"_soupEntryId\"", "\"\"", "\"}\"", "\"a'b\"", "\"a'\u{301}b\"", "\u{301}", "{", "}", ",", "0",
        "-1", "true",
        "\"Name} from {contacts} union select {notes:key} from {notes} --\"", "\"Name} is not null or {contacts:Id\"",
        "} or {contacts:", " union select ", "{notes:key}", " from {notes}", "--", "/*", "') or 1=1 --", "\\u0000", ":",
        "[0]", "1E2", "-0", "18446744073709551615", "\"_soupRank\"", "\"__local__\"", "\"{notes:key}:a\"",
    ]
    let sample: SampleStore

    func check(_ input: [UInt8]) async throws -> String {
        guard let json = try? JSONValue(parsing: input) else { return "not JSON" }
        let spec: QuerySpec
        do {
            spec = try QuerySpec(json: json, soup: "contacts")
        } catch let error as SoupError {
            try require(error.code == .badQuerySpec, "a bad spec is \(error.code)")
            try require(
                json.objectValue == nil || error.place?.path?.isEmpty == false, "the error names no key: \(error)")
            return outline("\(error.code)", error.message)
        }
        let again = try QuerySpec(json: spec.json, soup: spec.soup)
        try require(again == spec, "the spec that is read back differs: \(spec.json)")
        try require(spec.pageSize > 0, "pages of \(spec.pageSize)")
        for text in [spec.smartSQL, spec.countSmartSQL, spec.idsSmartSQL] { _ = try? SmartSQL(text) }
        if !spec.isSmart { try await requireOwnEntries(spec) }
        do {
            try await sample.plan(of: spec)
            return "planned \(spec.json["queryType"] ?? .null)"
        } catch let error as SoupError {
            return outline("\(error.code)", error.message)
        }
    }

    private func requireOwnEntries(_ spec: QuerySpec) async throws {
        let result: (rows: [String], count: Int)
        do { result = try await sample.result(of: spec) } catch is SoupError { return }
        try require(result.rows.count <= 1 && result.count <= 1, "more rows than entries: \(result.rows)")
        try require(
            !result.rows.contains { $0.contains(SampleStore.secret) }, "the spec reads another soup: \(result.rows)")
    }
}

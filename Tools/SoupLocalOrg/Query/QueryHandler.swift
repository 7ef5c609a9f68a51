// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupSalesforce

/// Answers `/query`, `/queryAll` and the later pages of their results.
struct QueryHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func query() throws -> OrgAnswer { try run(seesDeleted: false) }

    func queryAll() throws -> OrgAnswer { try run(seesDeleted: true) }

    private func run(seesDeleted: Bool) throws -> OrgAnswer {
        if let text = request.parameter("explain") {
            return try context.queries.mappingErrors { try explain(text) }
        }
        guard let text = request.parameter("q") else {
            throw OrgError(400, "MALFORMED_QUERY", message: "A query string has to be specified")
        }
        return try context.queries.run(text, seesDeleted: seesDeleted, pageSize: pageSize)
    }

    /// Returns the next page of a query; the segment is `<locator>-<offset>`.
    func nextPage() throws -> OrgAnswer {
        try context.queries.nextPage(request.path["locator"], pageSize: pageSize)
    }

    /// The page size that the request asks for, limited to the sizes that servers allow.
    private var pageSize: Int? {
        guard let header = request.header("Sforce-Query-Options"),
            let text = header.lowercased().split(separator: "batchsize=").last,
            let size = Int(text.prefix { $0.isNumber })
        else { return nil }
        return min(max(size, 200), 2000)
    }

    /// Returns how a query would be run, without running it.
    private func explain(_ text: String) throws -> OrgAnswer {
        let (query, compiler) = try QueryCompiler.parsed(text, schema: context.schema, caller: context.caller())
        // A query that cannot be run is rejected as if it were run.
        _ = try compiler.compile(query)
        let object = try compiler.object(of: query)
        let explanation = QueryExplanation(query: query, object: object) { condition in
            var count = SOQLQuery([.call(SOQLCall("COUNT", []), alias: nil)], from: query.source)
            count.joins = query.joins
            count.condition = condition
            guard case .count(let sql) = try compiler.compile(count) else { return 0 }
            return try context.db.statement(sql.text, sql.values).first { $0.int(0) } ?? 0
        }
        return OrgAnswer(["plans": .array(try explanation.plans()), "sourceQuery": .string(text)])
    }
}

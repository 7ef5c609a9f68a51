// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Answers `/tooling/query`: queries that find nothing, because the org has no metadata.
struct ToolingQueryHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func query() throws -> OrgAnswer {
        guard let text = request.parameter("q") else {
            throw OrgError(400, "MALFORMED_QUERY", message: "A query string has to be specified")
        }
        let (query, compiler) = try QueryCompiler.parsed(text, schema: context.schema, caller: context.caller())
        let name = query.source.path.description
        guard context.schema[name] == nil else {
            throw compiler.source.unknownObject(name, query.source.path.position)
        }
        return OrgAnswer([
            "size": 0, "totalSize": 0, "done": true, "queryLocator": nil, "entityTypeName": .string(name),
            "records": [],
        ])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

extension OrgContext {
    /// Everything below `/tooling`: queries, which find nothing, since there is no metadata here.
    func tooling(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        guard path == ["query"] else { throw OrgError.notFound }
        return try allow(["GET"], request) {
            guard let text = request.parameter("q") else {
                throw OrgError(400, "MALFORMED_QUERY", "A query string has to be specified")
            }
            let (query, compiler) = try QueryCompiler.parsed(text, schema: self.schema, caller: self.caller())
            let name = query.source.path.description
            guard self.schema[name] == nil else {
                throw compiler.source.unknownObject(name, query.source.path.position)
            }
            return OrgAnswer([
                "size": 0, "totalSize": 0, "done": true, "queryLocator": nil, "entityTypeName": .string(name),
                "records": [],
            ])
        }
    }
}

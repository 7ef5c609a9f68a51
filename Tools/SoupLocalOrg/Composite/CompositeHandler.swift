// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite`: runs requests in order; later ones may use the responses of earlier ones.
struct CompositeHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func run() throws -> OrgAnswer {
        let body = try request.jsonObject()
        let isAllOrNone = body["allOrNone"]?.boolValue ?? false
        let subrequests = try Subrequest.list(in: body)
        let queries = subrequests.count(where: \.isHeavy)
        if queries > 5 {
            throw OrgError(
                400, "LIMIT_EXCEEDED",
                message: "A composite request has at most 5 queries and collections, not \(queries)")
        }
        let runner = SubrequestRunner(context: context, isAllOrNone: isAllOrNone)
        return OrgAnswer(SubrequestRunner.envelope(subrequests, try runner.run(subrequests)))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects`: the list of all objects.
struct GlobalDescribeHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func describe() throws -> OrgAnswer {
        try Preconditions(request: request).unlessUnchanged(since: context.org.described) {
            let objects = context.schema.objects.map { ObjectDescription($0, apiPath: context.apiPath).summary }
            return OrgAnswer(["encoding": "UTF-8", "maxBatchSize": 200, "sobjects": .array(objects)])
        }
    }
}

/// Answers `/sobjects/{object}/describe`.
struct DescribeHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let object: OrgObject

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        object = try context.object(request.path["object"])
    }

    func describe() throws -> OrgAnswer {
        try Preconditions(request: request).unlessUnchanged(since: context.org.described) {
            OrgAnswer(ObjectDescription(object, apiPath: context.apiPath).full)
        }
    }
}

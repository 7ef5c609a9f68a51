// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/sobjects/{object}`: the object's summary with recent items, and the creation of records.
struct SObjectHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let object: OrgObject

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        object = try context.object(request.path["object"])
    }

    func summary() throws -> OrgAnswer {
        OrgAnswer([
            "objectDescribe": ObjectDescription(object, apiPath: context.apiPath).summary,
            "recentItems": .array(try context.recentItems.list(of: object, limit: 200)),
        ])
    }

    func create() throws -> OrgAnswer {
        let id = try context.records.create(object, try request.recordFields())
        try context.recentItems.noteViewed([id], of: object)
        return .created(id, url: context.url(of: object, id: id))
    }
}

extension OrgAnswer {
    /// The response to the creation of a record.
    static func created(_ id: String, url: String, isUpsert: Bool = false) -> OrgAnswer {
        var body: JSONObject = ["id": .string(id), "success": true, "errors": []]
        if isUpsert { body["created"] = true }
        return OrgAnswer(.object(body), status: 201, headers: [("Location", url)])
    }
}

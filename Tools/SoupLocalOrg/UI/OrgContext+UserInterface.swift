// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/ui-api`.
    func userInterface(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        try allow(["GET"], request) {
            switch (path.first, path.count) {
            case ("layout", 2): return try self.layout(request, try self.shownObject(path[1]))
            case ("object-info", 1): return self.objectDirectory()
            case ("object-info", 2): return OrgAnswer(self.objectInfo(try self.shownObject(path[1])))
            case ("object-info", 3) where path[1] == "batch":
                return self.batch(path[2]) { name in
                    self.objectInfo(try self.shownObject(name))
                }
            case ("object-info", 4) where path[2] == "picklist-values":
                return OrgAnswer(try self.picklists(try self.shownObject(path[1]), recordType: path[3]))
            case ("object-info", 5) where path[2] == "picklist-values":
                return OrgAnswer(try self.picklist(try self.shownObject(path[1]), recordType: path[3], path[4]))
            case ("records", 2):
                try self.refuseWithoutFields(request)
                return OrgAnswer(try self.shownRecord(path[1], request))
            case ("records", 3) where path[1] == "batch":
                try self.refuseWithoutFields(request)
                return self.batch(path[2]) { id in
                    try self.shownRecord(id, request)
                }
            default: throw OrgError.notFound
            }
        }
    }

    /// An object that the user interface shows.
    private func shownObject(_ name: String) throws -> OrgObject {
        guard let object = schema[name], object.flags.queryable else {
            throw OrgError(404, "INVALID_TYPE", "Object \(name) is not supported in UI API")
        }
        return object
    }

    /// The same for each of a list of names; refusals are results of their own.
    private func batch(_ list: String, _ body: (String) throws -> JSONValue) -> OrgAnswer {
        var hasErrors = false
        let results: [JSONValue] = OrgRequest.list(of: list).map { name in
            do {
                return ["result": try body(name), "statusCode": 200]
            } catch {
                hasErrors = true
                let error = error as? OrgError ?? OrgError(500, "UNKNOWN_EXCEPTION", "\(error)")
                return ["result": error.json, "statusCode": .int(Int64(error.status))]
            }
        }
        return OrgAnswer(["hasErrors": .bool(hasErrors), "results": .array(results)])
    }

    private func objectDirectory() -> OrgAnswer {
        let objects = schema.objects.filter(\.flags.queryable).map { object -> (key: String, value: JSONValue) in
            (
                object.name,
                [
                    "apiName": .string(object.name), "eTag": .string(eTag(of: object.name)),
                    "keyPrefix": .string(object.keyPrefix), "label": .string(object.label),
                    "labelPlural": .string(object.labelPlural), "nameFields": .array(Self.nameFields(object)),
                    "objectInfoUrl": .string("\(apiPath)/ui-api/object-info/\(object.name)"),
                ]
            )
        }
        return OrgAnswer(["eTag": .string(eTag(of: "directory")), "objects": .object(JSONObject(objects))])
    }

    /// A tag that changes when what it stands for does: the schema, or a record.
    func eTag(of text: String) -> String {
        let bytes = Array("\(text) \(apiPath) \(org.described)".utf8)
        let digits = String(Gzip.checksum(bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    static func nameFields(_ object: OrgObject) -> [JSONValue] {
        let parts = ["FirstName", "LastName"].filter { object.field($0) != nil }
        let names = parts.count == 2 ? parts : object.nameField.map { [$0.name] } ?? []
        return names.map { .string($0) }
    }
}

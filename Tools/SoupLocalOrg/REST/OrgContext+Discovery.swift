// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// The versions of the API, oldest first.
    func versions() -> OrgAnswer {
        OrgAnswer(
            .array(
                org.definition.apiVersions.map { version in
                    [
                        "label": .string("Release \(version)"), "url": .string("/services/data/v\(version)"),
                        "version": .string(version),
                    ]
                }))
    }

    /// The resources of a version.
    func resources() -> OrgAnswer {
        var resources = JSONObject()
        for name in [
            "tooling", "metadata", "composite", "parameterizedSearch", "search", "query", "queryAll", "recent",
            "limits",
            "sobjects", "connect", "ui-api", "jobs", "identity",
        ] {
            resources[name] = .string(
                name == "identity"
                    ? "\(org.options.instanceURL)/id/\(org.definition.orgId)/\(userId)" : "\(apiPath)/\(name)")
        }
        return OrgAnswer(.object(resources))
    }

    func limits(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        if path == ["recordCount"] { return try recordCount(request) }
        guard path.isEmpty else { throw OrgError.notFound }
        func limit(_ maximum: Int, _ used: Int = 0) -> JSONValue {
            ["Max": .int(Int64(maximum)), "Remaining": .int(Int64(max(0, maximum - used)))]
        }
        return OrgAnswer([
            "DailyApiRequests": limit(org.options.dailyLimit, org.calls), "DailyBulkApiBatches": limit(15_000),
            "DailyBulkV2QueryJobs": limit(10_000), "DailyBulkV2QueryFileStorageMB": limit(976_562),
            "DataStorageMB": limit(1024), "FileStorageMB": limit(1024),
        ])
    }

    private func recordCount(_ request: OrgRequest) throws -> OrgAnswer {
        let objects = request.list("sObjects").map { $0.compactMap { schema[$0] } } ?? schema.objects
        var counts: [JSONValue] = []
        for object in objects {
            let statement = try OrgStatement(db, "SELECT count(*) FROM \(object.table) WHERE \"IsDeleted\" = 0")
            let count = try statement.first { $0.int(0) } ?? 0
            if count > 0 { counts.append(["count": .int(count), "name": .string(object.name)]) }
        }
        return OrgAnswer(["sObjects": .array(counts)])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/data`: the versions of the API, oldest first.
struct VersionsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer {
        OrgAnswer(
            .array(
                context.org.definition.apiVersions.map { version in
                    [
                        "label": .string("Release \(version)"), "url": .string("/services/data/v\(version)"),
                        "version": .string(version),
                    ]
                }))
    }
}

/// Answers `/services/data/{version}`: the paths of the resources of a version.
struct ResourceListHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    private static let names = [
        "tooling", "metadata", "composite", "parameterizedSearch", "search", "query", "queryAll", "recent", "limits",
        "sobjects", "connect", "ui-api", "jobs", "identity",
    ]

    func list() throws -> OrgAnswer {
        var resources = JSONObject()
        for name in Self.names {
            let org = context.org
            resources[name] = .string(
                name == "identity"
                    ? "\(org.options.instanceURL)/id/\(org.definition.orgId)/\(context.userId)"
                    : "\(context.apiPath)/\(name)")
        }
        return OrgAnswer(.object(resources))
    }
}

/// Answers `/recent`: the recently viewed items of all objects.
struct RecentItemsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer {
        let limit = request.parameter("limit").flatMap { Int($0) } ?? 200
        return OrgAnswer(.array(try context.recentItems.list(of: nil, limit: max(0, min(limit, 2000)))))
    }
}

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
                        "label": .string(Self.season(of: version)), "url": .string("/services/data/v\(version)"),
                        "version": .string(version),
                    ]
                }))
    }

    /// Returns the name of the release with a version: there are three in a year, and 63.0 is that of spring 2025.
    static func season(of version: String) -> String {
        guard let number = Int(version.prefix { $0 != "." }), (1...999).contains(number) else {
            return "Release \(version)"
        }
        let releases = number - 63 + 25 * 3
        let season = releases % 3
        // The release of a winter has the year in which that winter ends.
        let year = releases / 3 + (season == 2 ? 1 : 0)
        return "\(["Spring", "Summer", "Winter"][season]) '\(year < 10 ? "0" : "")\(year)"
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

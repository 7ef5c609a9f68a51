// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore

/// A local org that the test process serves.
struct ServedOrg: Sendable {
    let org: LocalOrg
    let url: String

    /// Serves an org, runs `body`, and ends the org even if `body` throws.
    static func with(
        seed: OrgSeed = .medium, options: OrgOptions = OrgOptions(), clock: any SoupClock = SystemClock(),
        _ body: @escaping @Sendable (ServedOrg) async throws -> Void
    ) async throws {
        let org = try LocalOrg(seed: seed, clock: clock, options: options)
        let (urls, ready) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await org.serve { ready.yield($0) } }
            group.addTask {
                guard let url = await urls.first(where: { _ in true }) else { return }
                try await body(ServedOrg(org: org, url: url))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// The environment variables with the URL and the token of the org.
    var environment: [String: String] { ["SOUP_INSTANCE_URL": url, "SOUP_ACCESS_TOKEN": org.accessToken] }

    /// Runs `soup` with `--json` in a folder.
    func soup(_ folder: WorkFolder, _ arguments: String...) async throws -> FinishedSoup {
        try await SoupTool.run(arguments + ["--config", folder.path, "--json"], environment: environment)
    }

    /// Returns the org's rows that are not deleted, by ID.
    func rows(_ object: String) throws -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: try org.state(of: object).filter { $0["IsDeleted"] != true }.map {
                ($0["Id"]?.stringValue ?? "", $0)
            })
    }
}

#endif

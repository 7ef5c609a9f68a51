// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import SoupLocalOrg
import Testing

@Suite struct OrgRoutesTests {
    @Test func `Routes are printed as JSON objects`() async throws {
        let result = try await SoupTool.run("org", "routes", "--json")
        #expect(result.status == 0)
        let expected = LocalOrg.routes.map { route -> JSONValue in
            ["method": .string(route.method), "path": .string(route.path), "handler": .string(route.handler)]
        }
        #expect(try result.json == expected)
    }

    @Test func `Routes are printed as a table`() async throws {
        let result = try await SoupTool.run("org", "routes")
        #expect(result.status == 0)
        #expect(result.output.count == LocalOrg.routes.count + 2)
        #expect(result.output.first?.hasPrefix("method") == true)
    }
}

#endif

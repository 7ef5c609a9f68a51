// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupConformance
import SoupLocalOrg
import SoupCore
import SoupKit
import Testing

/// The cases of ``restCases``, run like by `soup conformance`.
@Suite struct RESTCaseTests {
    @Test func `Response matches Salesforce`() async throws {
        var options = OrgOptions()
        options.admin = true
        let org = try LocalOrg(seed: .tiny, options: options)
        let runner = ConformanceRunner(registry: .standard, org: OrgUnderTest(transport: org.transport))
        let report = try await runner.run([ConformanceSet(Array(restCases.utf8), name: "rest.jsonl")])
        #expect(report.problems.isEmpty)
        for result in report.results {
            guard case .failed(let mismatches) = result.outcome else { continue }
            Issue.record("\(result.example): \(mismatches.map(\.description).joined(separator: "\n"))")
        }
        // Two of them continue from cases that are not in this list.
        #expect(report.notRun == 2)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import SoupLocalOrg
import Testing

/// Tests the table of `soup status`.
@Suite struct StatusTests {
    @Test func `A pause because of the limit is shown`() async throws {
        var options = OrgOptions()
        options.dailyLimit = 4
        try await ServedOrg.with(seed: .tiny, options: options) { org in
            let folder = try WorkFolder([
                "userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs,
                "org.json": #"{"requestLimitPercent": 50}"#,
            ])
            func soup(_ arguments: String...) async throws -> FinishedSoup {
                try await SoupTool.run(arguments + ["--config", folder.path], environment: org.environment)
            }
            for _ in 1...3 { _ = try await soup("sync", "down") }
            #expect(org.org.journal.count == 2)
            let status = try await soup("status")
            #expect(status.status == 0)
            let text = (status.output + status.errors).joined(separator: "\n")
            #expect(text.contains("STOPPED (limit)"))
            #expect(text.contains("down: paused: 2 of 4 API requests of 24 hours are used; run it again later"))
            // The requests of the examination are not limited, so its findings name the pause.
            org.org.setOptions { $0.dailyLimit = 1000 }
            let doctor = try await soup("doctor")
            #expect(doctor.status == 0)
            let findings = (doctor.output + doctor.errors).joined(separator: "\n")
            #expect(findings.contains("paused at the limit of API requests: 2 of 4 API requests of 24 hours were used"))
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import LocalOrg
import SoupCore
import Testing

/// `soup sync --watch`, with the real binary.
@Suite struct WatchCommandTests {
    @Test(.timeLimit(.minutes(2)), arguments: [SIGINT, SIGTERM])
    func anEditOfAnotherCommandGoesUpByItself(signal: Int32) async throws {
        try await ServedOrg.with { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let running = try SoupTool.start(
                ["sync", "up", "down", "--watch", "--every", "3600", "--config", folder.path, "--json"],
                environment: org.environment)
            try running.write("")
            var rounds = 0
            var pushed: [JSONValue] = []
            for await line in running.output {
                let event = try JSONValue(parsing: line)
                if event["event"] == "outcome" { pushed.append(event) }
                let isDown = event["sync"]?["name"] == "down"
                guard isDown, event["sync"]?["status"] == "DONE" else { continue }
                rounds += 1
                if rounds == 1 {
                    #expect(try await org.soup(folder, "create", "contacts", "LastName=Watched").status == 0)
                } else if rounds == 2 {
                    running.kill(signal)
                }
            }
            #expect(await running.end() == 0)
            #expect(pushed.map { $0["result"] } == ["ok"])
            let names = try org.rows("Contact").values.compactMap { $0["LastName"]?.stringValue }
            #expect(names.filter { $0 == "Watched" }.count == 1)
        }
    }

    @Test func anIntervalThatMakesNoSenseIsRefused() async throws {
        let folder = try WorkFolder([:])
        for every in ["0", "-1", "100000", "x"] {
            let refused = try await SoupTool.run(["sync", "up", "--watch", "--every", every, "--config", folder.path])
            #expect(refused.status == 2)
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupCore
import Testing

/// Tests `soup sync --watch`.
@Suite struct SyncWatchingTests {
    @Test(.timeLimit(.minutes(2)), arguments: [SIGINT, SIGTERM])
    func `An edit by another command is pushed automatically`(signal: Int32) async throws {
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

    @Test(.timeLimit(.minutes(2))) func `An expired session ends the watch without losing changes`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            #expect(try await org.soup(folder, "create", "contacts", "LastName=Waiting").status == 0)
            let expired = org.environment.merging(["SOUP_ACCESS_TOKEN": "expired"]) { $1 }
            let watched = try await SoupTool.run(
                ["sync", "up", "down", "--watch", "--every", "3600", "--config", folder.path, "--json"],
                environment: expired)
            #expect(watched.status == 1)
            let errors = try watched.jsonErrors
            #expect(errors.map { $0["code"] } == ["sessionExpired"])
            let hint = errors.first?["hint"]?.stringValue ?? ""
            #expect(hint.contains("Log in") && hint.contains("SOUP_ACCESS_TOKEN") && hint.contains("start it again"))
            #expect(try watched.json.allSatisfy { $0["sync"]?["name"] != "down" }, "the next sync did not run")
            #expect(try await org.soup(folder, "status", "up").json.map { $0["waitingForLogin"] } == [true])

            #expect(try await org.soup(folder, "sync", "up").status == 0)
            #expect(try org.rows("Contact").values.contains { $0["LastName"] == "Waiting" })
        }
    }

    /// A record that is refused in every round is reported once.
    @Test(.timeLimit(.minutes(2))) func `Repeated failures and rounds without changes are omitted`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let long = String(repeating: "x", count: 300)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=\(long)").status == 0)
            let running = try SoupTool.start(
                ["sync", "up", "down", "--watch", "--every", "1", "--config", folder.path],
                environment: org.environment)
            try running.write("")
            var lines: [String] = []
            for await line in running.output {
                lines.append(line)
                guard line.contains(" ended at ") else { continue }
                if line.hasPrefix("round 1 ") {
                    #expect(try await org.soup(folder, "create", "contacts", "LastName=Watched").status == 0)
                } else if lines.contains(where: { $0.contains("1 created") }) {
                    running.kill(SIGINT)
                }
            }
            #expect(await running.end() == 0)
            // The round with the second record may report it again, because there was a local change.
            #expect((1...2).contains(lines.filter { $0.contains("STRING_TOO_LONG") }.count), "\(lines)")
            #expect(lines.filter { $0 == "up: DONE, 1 created, 1 failed" }.count == 1, "\(lines)")
            // Each block is a round: its start, its results and its end.
            let blocks = lines.split { $0.contains(" ended at ") }
            #expect(blocks.allSatisfy { $0.first?.contains(" began at ") == true && $0.count > 1 }, "\(lines)")
            #expect(lines.filter { $0.contains(" began at ") }.count == blocks.count, "\(lines)")
            #expect(blocks.first?.dropFirst(2).first == "up: DONE, 1 failed", "\(lines)")
            #expect(!lines.contains { $0.hasPrefix("down: DONE") && $0.hasSuffix(" unchanged") }, "\(lines)")
            #expect(try org.rows("Contact").values.filter { $0["LastName"] == "Watched" }.count == 1)
        }
    }

    /// The interval is so long that only edits start rounds.
    @Test(.timeLimit(.minutes(2))) func `A failure that repeats after an edit is reported again`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let long = String(repeating: "x", count: 300)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=\(long)").status == 0)
            let running = try SoupTool.start(
                ["sync", "up", "down", "--watch", "--every", "3600", "--config", folder.path],
                environment: org.environment)
            try running.write("")
            var lines: [String] = []
            for await line in running.output {
                lines.append(line)
                if line.hasPrefix("round 1 ended at ") {
                    #expect(try await org.soup(folder, "edit", "contacts", "1", "Title=x").status == 0)
                } else if line.hasPrefix("round 2 ended at ") {
                    running.kill(SIGINT)
                }
            }
            #expect(await running.end() == 0)
            #expect(lines.filter { $0.contains("STRING_TOO_LONG") }.count == 2, "\(lines)")
        }
    }

    @Test(.timeLimit(.minutes(2))) func `JSON output has every round with its times`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
            let running = try SoupTool.start(
                ["sync", "up", "--watch", "--every", "1", "--config", folder.path, "--json"],
                environment: org.environment)
            try running.write("")
            var rounds: [JSONValue] = []
            for await line in running.output {
                let event = try JSONValue(parsing: line)
                guard event["event"] == "round" else { continue }
                rounds.append(event)
                if rounds.count == 4 { running.kill(SIGINT) }
            }
            #expect(await running.end() == 0)
            #expect(rounds.prefix(4).map { $0["number"] } == [1, 1, 2, 2])
            #expect(rounds.prefix(4).map { $0["endTime"] != nil } == [false, true, false, true])
            #expect(rounds.prefix(4).allSatisfy { $0["hasChanges"] == false })
            let times = rounds.prefix(4).compactMap { ($0["endTime"] ?? $0["startTime"])?.intValue }
            #expect(times.count == 4 && times == times.sorted() && times[2] >= times[1] + 1000)
        }
    }

    @Test func `An interval requires --watch`() async throws {
        let folder = try WorkFolder([:])
        #expect(try await SoupTool.run(["sync", "up", "--every", "5", "--config", folder.path]).status == 2)
    }

    @Test func `An invalid interval is refused`() async throws {
        let folder = try WorkFolder([:])
        for every in ["0", "-1", "100000", "x"] {
            let refused = try await SoupTool.run(["sync", "up", "--watch", "--every", every, "--config", folder.path])
            #expect(refused.status == 2)
        }
    }
}

#endif

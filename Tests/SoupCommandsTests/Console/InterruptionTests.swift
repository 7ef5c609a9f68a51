// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupCore
import Testing

/// Tests commands that are interrupted by a signal, and commands that run in parallel.
@Suite struct InterruptionTests {
    private static let store = #"""
        {"soups": [{"soupName": "accounts", "indexes": [
          {"path": "Id", "type": "string"}, {"path": "Name", "type": "string"}, {"path": "__local__", "type": "string"}]}]}
        """#
    private static let syncs = #"""
        {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "accounts",
          "target": {"type": "soql", "query": "SELECT Name, AccountNumber, Industry FROM Account"},
          "options": {"mergeMode": "OVERWRITE"}}]}
        """#

    /// Starts a sync down, and sends it a signal after it has printed a number of lines.
    private static func interrupt(
        _ folder: WorkFolder, _ org: ServedOrg, with signal: Int32, at line: Int, under program: String? = nil
    ) async throws -> (status: Int32, states: [JSONValue]) {
        let arguments = ["sync", "down", "--config", folder.path, "--json"]
        let running = try RunningSoup(
            program.map { URL(filePath: $0) } ?? SoupTool.url,
            program == nil ? arguments : [SoupTool.url.path] + arguments, environment: org.environment,
            readingOutput: true)
        try running.write("")
        var states: [JSONValue] = []
        for await text in running.output {
            // A process that is killed while it writes a line leaves an incomplete line.
            if let state = try? JSONValue(parsing: text) { states.append(state) }
            if states.count == line { running.kill(signal) }
        }
        return (await running.end(), states)
    }

    private static func names(_ folder: WorkFolder, _ org: ServedOrg) async throws -> [String] {
        try await org.soup(folder, "query", "select {accounts:Id}, {accounts:Name} from {accounts} order by 1").output
    }

    private static func expectedNames(_ org: ServedOrg) throws -> [String] {
        try org.rows("Account").map { ($0.key, $0.value["Name"]?.stringValue ?? "") }.sorted { $0.0 < $1.0 }
            .map { #"["\#($0.0)","\#($0.1)"]"# }
    }

    @Test(arguments: [2, 5, 9]) func `A killed sync down resumes and fetches all rows of the org`(line: Int)
        async throws
    {
        try await ServedOrg.with(seed: .large(20_000)) { org in
            let folder = try WorkFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs])
            let killed = try await Self.interrupt(folder, org, with: SIGKILL, at: line)
            #expect(killed.status == -SIGKILL)
            #expect(killed.states.last?["sync"]?["status"] == "RUNNING")
            let half =
                try await org.soup(folder, "query", "select count(*) from {accounts}").json.first?[0]?.intValue ?? -1
            #expect(half >= 0 && half < 20_000)
            #expect(try await org.soup(folder, "status").json.map { $0["status"] } == ["STOPPED"])
            let fetched = org.org.journal.count { $0.path.contains("/query") }

            let resumed = try await org.soup(folder, "sync", "down")
            #expect(resumed.status == 0)
            #expect(try resumed.json.last?["sync"]?["status"] == "DONE")
            #expect(try await Self.names(folder, org) == (try Self.expectedNames(org)))
            let again = org.org.journal.count { $0.path.contains("/query") } - fetched
            #expect(
                again <= 11 - Int(half) / 2000, "\(half) rows were there, and \(again) pages were fetched for the rest")
        }
    }

    @Test func `A sync under nohup continues without its terminal`() async throws {
        try await ServedOrg.with(seed: .large(20_000)) { org in
            let folder = try WorkFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs])
            let run = try await Self.interrupt(folder, org, with: SIGHUP, at: 3, under: "/usr/bin/nohup")
            #expect(run.status == 0)
            #expect(run.states.last?["sync"]?["status"] == "DONE")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `An interrupted sync is stopped and can be resumed`(signal: Int32) async throws {
        try await ServedOrg.with(seed: .large(20_000)) { org in
            let folder = try WorkFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs])
            let stopped = try await Self.interrupt(folder, org, with: signal, at: 3)
            #expect(stopped.status == 1)
            #expect(stopped.states.last?["sync"]?["status"] == "STOPPED")
            #expect(try await org.soup(folder, "status").json.map { $0["status"] } == ["STOPPED"])
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await Self.names(folder, org) == (try Self.expectedNames(org)))
        }
    }

    @Test func `Parallel syncs of one store wait for each other`() async throws {
        try await ServedOrg.with(seed: .large(5000)) { org in
            let folder = try WorkFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs])
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 { group.addTask { try await org.soup(folder, "sync", "down") } }
                for try await finished in group {
                    #expect(finished.status == 0, "\(finished.errors)")
                    #expect(try finished.json.last?["sync"]?["status"] == "DONE")
                    #expect(try finished.json.allSatisfy { $0["sync"]?["status"] != "STOPPED" })
                }
            }
            #expect(try await Self.names(folder, org) == (try Self.expectedNames(org)))
        }
    }

    @Test func `Printing the status does not affect a running sync`() async throws {
        try await ServedOrg.with(seed: .large(20_000)) { org in
            let folder = try WorkFolder(["userstore.json": Self.store, "usersyncs.json": Self.syncs])
            let running = try SoupTool.start(
                ["sync", "down", "--config", folder.path, "--json"], environment: org.environment)
            try running.write("")
            var states: [JSONValue] = []
            for await text in running.output {
                states.append(try JSONValue(parsing: text))
                if states.count == 3 {
                    let status = try await org.soup(folder, "status")
                    #expect(status.status == 0)
                    // On a fast machine the run may be done; the status command must not have stopped it.
                    #expect(try status.json.allSatisfy { $0["status"] == "RUNNING" || $0["status"] == "DONE" })
                    #expect(try await org.soup(folder, "soups").status == 0)
                }
            }
            #expect(await running.end() == 0)
            #expect(states.allSatisfy { $0["sync"]?["status"] != "STOPPED" })
            #expect(states.last?["sync"]?["status"] == "DONE")
        }
    }

    /// Standard input stays open and empty.
    @Test(.timeLimit(.minutes(15)), arguments: [SIGINT, SIGTERM])
    func `A command that waits for input can be interrupted`(signal: Int32) async throws {
        let folder = try WorkFolder(["userstore.json": Self.store])
        let running = try SoupTool.start(["upsert", "accounts", "--config", folder.path, "--json"])
        // Repeat the signal until one arrives after the program has installed its handlers.
        let signals = Task {
            while !Task.isCancelled {
                running.kill(signal)
                await Task.yield()
            }
        }
        let status = await running.end()
        signals.cancel()
        #expect(status == 1 || status == -signal)
        #expect(
            try await SoupTool.run("query", "select count(*) from {accounts}", "--config", folder.path, "--json").output
                == ["[0]"])
    }

    @Test func `A sync continues after its output is closed`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try WorkFolder([
                "userstore.json": Self.store,
                "usersyncs.json": #"""
                {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "accounts",
                  "target": {"maxBatchSize": 1, "createFieldlist": ["Name"]}, "options": {"fieldlist": ["Name"]}}]}
                """#,
            ])
            let before = try org.rows("Account").count
            let records = (1...20).map {
                #"{"Id":"local_\#($0)","Name":"Pipe \#($0)","attributes":{"type":"Account"},"#
                    + #""__local__":true,"__locally_created__":true}"#
            }
            let upsert = try await SoupTool.run(
                "upsert", "accounts", "--config", folder.path, "--json", input: records.joined(separator: "\n"))
            #expect(upsert.status == 0)
            let running = try SoupTool.start(
                ["sync", "up", "--config", folder.path, "--json"], environment: org.environment, readingOutput: false)
            try running.write("")
            #expect(await running.end() == 0)
            #expect(try org.rows("Account").count == before + 20)
            #expect(try await org.soup(folder, "status").json.map { $0["status"] } == ["DONE"])
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// Durations and dates of the interface, and the numbers of milliseconds of rules, options and the journal.
@Suite struct DurationTests {
    private func client(_ options: OrgOptions = OrgOptions()) throws -> OrgClient {
        var options = options
        options.admin = true
        return try OrgClient(clock: FixedClock(), options: options)
    }

    @Test(arguments: [0, 1, 999, 86_400_000, 3_153_600_000_000] as [Int64])
    func `Options keep every millisecond`(_ time: Int64) async throws {
        var options = OrgOptions()
        options.cursorLifetime = .milliseconds(time)
        options.cursorIdleTime = .milliseconds(time)
        let client = try client(options)
        let read = try await client.json(.get, "/_emu/options")
        #expect(read.cursorLifetime == .int(time) && read.cursorIdleTime == .int(time))
        let written = try self.client()
        _ = try await written.json(
            .post, "/_emu/options", body: ["cursorLifetime": .int(time), "cursorIdleTime": .int(time)])
        let set = written.org.core.withLock { $0.options }
        #expect(set.cursorLifetime == .milliseconds(time) && set.cursorIdleTime == .milliseconds(time))
    }

    @Test func `Delays and the lifetime of tokens are exact`() async throws {
        let client = try client()
        let body: JSONValue = ["searchIndexDelay": 1, "replicationLag": 86_400_000, "tokenLifetime": 61]
        let shown = try await client.json(.post, "/_emu/options", body: body)
        let set = client.org.core.withLock { $0.options }
        #expect(set.searchIndexDelay == .milliseconds(1) && set.replicationLag == .seconds(86_400))
        #expect(set.tokenLifetime == .seconds(61))
        #expect(shown.searchIndexDelay == 1 && shown.replicationLag == 86_400_000 && shown.tokenLifetime == 61)
    }

    @Test func `Rules read and write whole milliseconds`() throws {
        let rule = try OrgFault(
            json: ["do": ["kind": "latency", "ms": 86_400_000, "jitterMs": 1], "when": ["afterMs": 86_399_999]])
        #expect(rule.startDelay == .milliseconds(86_399_999))
        guard case .latency(let pause, let jitter) = rule.effect else {
            Issue.record("another effect: \(rule.effect)")
            return
        }
        #expect(pause == .seconds(86_400) && jitter == .milliseconds(1))
        #expect(rule.json["do"] == ["kind": "latency", "ms": 86_400_000, "jitterMs": 1])
        #expect(rule.json["when"] == ["afterMs": 86_399_999])
    }

    @Test func `Shorter durations are rounded up`() throws {
        let fault = OrgFault(.latency(.microseconds(1), jitter: .microseconds(1001)), startDelay: .nanoseconds(1))
        #expect(fault.json["do"] == ["kind": "latency", "ms": 1, "jitterMs": 2])
        #expect(fault.json["when"] == ["afterMs": 1])
    }

    @Test func `The clock returns the date at which it was stopped`() throws {
        let client = try client()
        for time in [-62_135_596_800_000, -1, 0, 1_705_320_300_001, 253_402_300_799_999] as [Int64] {
            let date = Date(millisecondsSince1970: time)
            client.org.freezeClock(at: date)
            #expect(client.org.now == date && client.org.now.millisecondsSince1970 == time)
        }
        client.org.freezeClock(at: .distantFuture.addingTimeInterval(1e15))
        #expect(client.org.now.millisecondsSince1970 == 253_402_300_799_999)
    }

    @Test func `The clock moves forward and back`() throws {
        let client = try client()
        let start = Date(millisecondsSince1970: 1_705_320_300_000)
        client.org.freezeClock(at: start)
        client.org.advanceClock(by: .microseconds(1500))
        #expect(client.org.now == Date(millisecondsSince1970: 1_705_320_300_002))
        client.org.advanceClock(by: .milliseconds(-2))
        #expect(client.org.now == start)
    }

    @Test func `A state file on a server is rejected`() throws {
        var options = OrgOptions()
        options.stateFile = URL(string: "https://example.com/org.db")
        let error = #expect(throws: SoupError.self) { try OrgClient(options: options) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message == "the state file https://example.com/org.db is not a file URL")
    }

    @Test func `A relative state file is opened in the working folder`() throws {
        let name = "org-\(UUID()).db"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: name + end) } }
        var options = OrgOptions()
        options.stateFile = URL(filePath: name)
        do { _ = try OrgClient(options: options) }
        #expect(FileManager.default.fileExists(atPath: name))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing
import TodoServer
import TodoTargets

/// Tests both targets with the conformance suites of SoupTesting, a server, and a few changes.
@Suite struct TodoTargetsTests {
    @Test func `The down target passes the conformance suite`() async throws {
        let server = InMemoryTodoServer()
        for title in ["one", "two", "three"] { server.add(title) }
        try await SyncDownTargetSuite(
            TodoDownTarget.self, configuration: #"{"type": "todo", "list": "home", "pageSize": 2}"#,
            badConfigurations: ["{}", #"{"list": 5}"#, #"{"list": "home", "pageSize": 0}"#]
        ) { try await server.send($0.request, body: $0.body) }.check()
    }

    @Test func `The up target passes the conformance suite`() async throws {
        func change(_ kind: RecordChange.Kind) throws -> [RecordChange] {
            let record = try JSONText(["id": "t1", "title": "todo 1"])
            return [
                RecordChange(kind, soup: "todos", entryId: 1, serverId: kind == .create ? nil : "t1", record: record)
            ]
        }
        try await SyncUpTargetSuite(
            TodoUpTarget.self, configuration: #"{"type": "todo", "list": "home"}"#, badConfigurations: ["{}"],
            batches: [try change(.create), try change(.update), try change(.delete)],
            missingRecords: { _ in HTTPAnswer(status: 404, #"{"code": "NO_SUCH_TODO"}"#) }
        ) { request, refused in
            if !refused.isEmpty { return HTTPAnswer(status: 400, #"{"code": "NO_TITLE", "message": "no title"}"#) }
            if request.method == .delete { return HTTPAnswer(status: 204) }
            return HTTPAnswer(status: 200, #"{"id": "t1", "changed": "2026-01-05T08:00:00.000Z"}"#)
        }.check()
    }
}

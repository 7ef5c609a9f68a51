// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SyncUpTargetSendingTests {
    private struct Target: SyncUpTarget {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "sending"
        let idField = "id"
        let modificationDateField = "changed"
        let versionField: String? = "rev"
        var layout: RecordLayout?

        init(configuration: Configuration = Configuration()) {}

        func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] { [] }
    }

    private func change(_ record: String, base: String? = nil, level: Int = 0) throws -> RecordChange {
        RecordChange(
            .update, soup: "s", entryId: 1, serverId: "7", record: try JSONText(record),
            base: try base.map { try JSONText($0) }, level: level)
    }

    @Test(
        arguments: [
            (
                #"{"id":"local_1","name":"Ann","changed":"2026-01-05","rev":3,"attributes":{"type":"A"},"n":1.50}"#,
                nil,
                #"{"name":"Ann","n":1.50}"#
            ),
            (#"{"id":7,"name":"Ann","n":1.50}"#, #"{"id":7,"name":"Bob","n":1.5,"changed":"x"}"#, #"{"name":"Ann"}"#),
            (#"{"id":7,"name":"Ann"}"#, #"{"id":7,"name":"Ann","city":"Rome","zip":null,"rev":1}"#, #"{"city":null}"#),
            (#"{"id":7,"new":null}"#, #"{"id":7}"#, #"{"new":null}"#), (#"{"id":7}"#, nil, "{}"),
        ] as [(String, String?, String)])
    func `Only members that the server accepts are sent`(record: String, base: String?, sent: String) throws {
        #expect("\(Target().record(toSend: try change(record, base: base)))" == sent)
    }

    @Test func `A child leaves out the fields of its level`() throws {
        var target = Target()
        target.layout = RecordLayout(levels: [
            RecordLayout.Level(soup: "s", idField: "id"),
            RecordLayout.Level(soup: "t", idField: "key", modificationDateField: "at", parentIdField: "p"),
        ])
        let record = #"{"key":"1","at":"x","id":"kept","rev":2,"p":"7"}"#
        #expect("\(target.record(toSend: try change(record, level: 1)))" == #"{"id":"kept","rev":2,"p":"7"}"#)
    }
}

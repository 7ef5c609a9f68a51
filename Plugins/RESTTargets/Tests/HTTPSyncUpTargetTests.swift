// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

/// A form of pushes: the keys of the configuration.
struct UpCase: Sendable, CustomTestStringConvertible {
    var name: String
    var keys: String
    var isIdempotent = false
    var testDescription: String { name }

    var configuration: String {
        #"{"type": "http", "path": "/api/contacts", "records": "items", "id": "id", "modified": "changed", \#(keys)}"#
    }

    static let all: [UpCase] = [
        UpCase(name: "patch", keys: #""update": "patch""#),
        UpCase(name: "put", keys: #""update": "put", "fieldlist": ["name"]"#),
        UpCase(name: "merge patch", keys: #""update": "mergePatch""#),
        UpCase(name: "JSON patch", keys: #""update": "jsonPatch""#),
        UpCase(name: "error form", keys: #""error": {"message": "detail"}"#),
        UpCase(
            name: "client key",
            keys: #"""
                "clientKey": {"field": "client_id", "isIdempotent": true,
                "parameters": {"client_id": "{clientKey}"}}
                """#, isIdempotent: true),
        UpCase(
            name: "batches",
            keys: #"""
                "create": {"path": "/api/contacts/bulk", "batch": {"list": "items", "results": "results",
                "status": "status", "record": "body"}},
                "update": {"path": "/api/contacts/bulk", "batch": {"list": "items", "results": "results",
                "status": "status", "record": "body"}},
                "delete": {"path": "/api/contacts/bulk", "batch": {"list": "items", "results": "results",
                "status": "status", "record": "body"}}
                """#),
        UpCase(name: "versions", keys: #""version": "etag", "ifMatch": true"#),
    ]
}

@Suite struct HTTPSyncUpTargetTests {
    static let badConfigurations = [
        #"{"path": "/a", "update": "replace"}"#,
        #"{"path": "/a", "update": {"style": "puts"}}"#,
        #"{"path": "/a", "update": {"path": "/a"}}"#,
        #"{"path": "/a", "create": {"path": "/a/{id}"}}"#,
        #"{"path": "/a", "create": {"style": "put"}}"#,
        #"{"path": "/a", "delete": {"method": "GET"}}"#,
        #"{"path": "/a", "ifMatch": true}"#,
        #"{"path": "/a", "wrap": ""}"#,
        #"{"path": "/a", "fieldlist": ["a.b"]}"#,
        #"{"path": "/a", "clientKey": {}}"#,
        #"{"path": "/a", "clientKey": {"field": "k"}}"#,
        #"{"path": "/a", "version": "v", "ifMatch": true, "update": {"method": "POST", "path": "/b", "batch": {}}}"#,
        #"{"path": "/a", "statuses": {"conflict": [409], "rejected": [409]}}"#,
        #"{"path": "/a", "clientKey": {"field": "id"}}"#,
        #"{"path": "/a", "clientKey": {"field": "k", "parameters": {"k": "{id}"}}}"#,
        #"{"path": "/a", "statuses": {"conflict": [200]}}"#,
        #"{"path": "/a", "create": {"batch": {"match": "id"}}}"#,
        #"{"path": "/a", "update": {"batch": {"elements": "ids"}}}"#,
    ]

    static func change(_ kind: RecordChange.Kind, _ id: String, entry: Int64 = 1) throws -> RecordChange {
        let key = kind == .create ? "local_\(String(repeating: "0", count: 31))\(entry)" : id
        // The version is the one that the service has: c1, c2 and c4 changed in the minutes 0, 1 and 2.
        let version = kind == .create ? "" : #", "etag": "\"v\#(entry - 1)\"", "changed": null"#
        return RecordChange(
            kind, soup: "contacts", entryId: entry, serverId: kind == .create ? nil : id,
            record: try JSONText(#"{"id": "\#(key)", "name": "New \#(entry)"\#(version)}"#))
    }

    @Test(arguments: UpCase.all)
    func `The target follows the rules for each form`(_ example: UpCase) async throws {
        // Each check begins with the same contacts: a push of the suite is sent often.
        let service = RestoredService()
        let (missing, changed) = (ContactService(), ContactService())
        missing.remove("c1", "c2", "c4")
        changed.touch()
        try await SyncUpTargetSuite(
            HTTPSyncUpTarget.self, configuration: example.configuration, badConfigurations: Self.badConfigurations,
            batches: [
                [try Self.change(.create, "", entry: 1), try Self.change(.create, "", entry: 2)],
                [try Self.change(.create, "", entry: 3)],
                [try Self.change(.update, "c1"), try Self.change(.update, "c2", entry: 2)],
                [try Self.change(.delete, "c4", entry: 3)],
            ], recordCount: example.isIdempotent ? { @Sendable in service.count } : nil, wrongPath: ContactService.gone,
            missingRecords: { missing.answer($0) }, changedRecords: { changed.answer($0) }
        ) { request, refused in service.answer(request, refusing: refused) }.check()
    }
}

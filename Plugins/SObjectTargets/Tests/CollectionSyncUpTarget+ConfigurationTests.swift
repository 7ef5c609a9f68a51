// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SObjectTargets
import SoupCore
import SoupTesting
import Synchronization
import Testing

@Suite struct CollectionSyncUpTargetConfigurationTests {
    @Test(arguments: [
        #"{"createFieldlist":["Name"]}"#, #"{"type":"rest"}"#,
        #"{"idFieldName":"IdX","modificationDateFieldName":"LastModifiedDateX","externalIdFieldName":"ExternalIdX"}"#,
        #"{"createFieldlist":["FirstName","LastName","Title","MobilePhone","Email","Department","HomePhone"]}"#,
        #"{"createFieldlist":["FirstName","LastName","Title","Department"]}"#,
        #"{"iOSImpl":"SFCollectionSyncUpTarget"}"#,
        #"{"androidImpl":"com.salesforce.androidsdk.mobilesync.target.CollectionSyncUpTarget","type":"custom"}"#, "{}",
    ])
    func `Published target objects are accepted`(text: String) throws {
        let parsed = try problems(text)
        #expect(parsed.problems.map(\.description) == [])
        #expect(parsed.target is CollectionSyncUpTarget)
    }

    @Test(arguments: [(nil, 200), (1, 1), (201, 200), (0, 1), (-7, 1), (12, 12)])
    func `The batch size is limited to 1 through 200`(given: Int?, used: Int) throws {
        #expect(try CollectionSyncUpTarget(configuration: .init(maxBatchSize: given)).maxBatchSize == used)
    }

    @Test func `Field names are read from the configuration`() throws {
        let text = #"{"idFieldName":"IdX","modificationDateFieldName":"","externalIdFieldName":"ExternalIdX"}"#
        let parsed = try problems(text).target
        #expect(parsed?.idField == "IdX")
        #expect(parsed?.modificationDateField == "LastModifiedDate")
    }

    /// A key in such a field would not reach the server, or would replace a value that the sync needs.
    @Test(arguments: [
        "__local__", "_soupEntryId", "__sync_id__", "Id", "id", "IdX", "LastModifiedDate", "SystemModstamp",
        "attributes", "Owner.Name", "a b",
    ])
    func `A field that is set otherwise cannot contain client keys`(name: String) throws {
        let text = #"{"idFieldName":"IdX","clientKeyFieldName":"\#(name)"}"#
        let errors = try problems(text).problems.filter { $0.severity == .error }
        #expect(errors.map(\.place.path) == ["target.clientKeyFieldName"])
    }

    /// Responds as the API without the records of the batches.
    @Sendable private static func withoutRecords(_ request: RecordedRequest) -> HTTPAnswer {
        if let states = noStates(request) { return states }
        if request[parameter: "q"] != nil { return HTTPAnswer(#"{"totalSize":0,"done":true,"records":[]}"#) }
        let count =
            request.method == .delete
            ? request[parameter: "ids"]?.split(separator: ",").count : request.json?["records"]?.arrayValue?.count
        let error = #"{"success":false,"errors":[{"statusCode":"ENTITY_IS_DELETED","message":"m","fields":[]}]}"#
        return HTTPAnswer("[\(Array(repeating: error, count: count ?? 0).joined(separator: ","))]", headers: date)
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncUpTargetSuite(
            CollectionSyncUpTarget.self, configuration: #"{"createFieldlist":["Name"],"updateFieldlist":["Name"]}"#,
            badConfigurations: [
                #"{"createFieldlist":"Name"}"#, #"{"maxBatchSize":"x"}"#, #"{"sobjectType":"A/B"}"#,
                #"{"externalIdFieldName":"a b"}"#,
            ], batches: try batches(), withoutLookups: true, wrongPath: wrongPath, missingRecords: Self.withoutRecords
        ) { request, refused in
            let items: [String] =
                request.method == .delete
                ? (request[parameter: "ids"] ?? "").split(separator: ",").map(String.init)
                : (request.json?["records"]?.arrayValue ?? []).map { $0["Name"]?.stringValue ?? "" }
            if let states = noStates(request) { return states }
            let answers = items.map { item in
                mentions(item, refused)
                    ? #"{"success":false,"errors":[{"statusCode":"STRING_TOO_LONG","message":"m","fields":["Name"]}]}"#
                    : #"{"id":"\#(rowId(item))","success":true,"errors":[]}"#
            }
            return HTTPAnswer("[\(answers.joined(separator: ","))]", headers: date)
        }.check()
    }

    /// With external IDs a creation may be sent twice, and a creation without a response is found.
    @Test func `The target passes the suite with external IDs`() async throws {
        let rows = Mutex<[String: String]>([:])
        var batches = try batches()
        for number in batches[0].indices {
            batches[0][number] = try change(
                .create, "local_r\(number + 1)x", entry: Int64(number + 1), extra: #","Ext__c":"e\#(number + 1)""#)
        }
        try await SyncUpTargetSuite(
            CollectionSyncUpTarget.self,
            configuration: #"{"createFieldlist":["Name"],"updateFieldlist":["Name"],"externalIdFieldName":"Ext__c"}"#,
            batches: batches, recordCount: { rows.withLock { $0.count } },
            wrongPath: wrongPath, missingRecords: Self.withoutRecords
        ) { request, refused in
            if let ids = request.json?["ids"]?.arrayValue {
                let names = rows.withLock { rows in ids.map { rows[String($0.stringValue?.suffix(2) ?? "")] } }
                let records = names.map { name in
                    name.map {
                        #"{"attributes":{"type":"Account"},"Name":"\#($0)","LastModifiedDate":"2026-01-02T03:04:05.000Z"}"#
                    } ?? "null"
                }
                return HTTPAnswer("[\(records.joined(separator: ","))]")
            }
            if let query = request[parameter: "q"] {
                let found = rows.withLock { rows in rows.keys.filter { query.contains("'\($0)'") }.sorted() }
                let records = found.map { #"{"Id":"\#(rowId($0))","Ext__c":"\#($0)"}"# }.joined(separator: ",")
                return HTTPAnswer(#"{"totalSize":\#(found.count),"done":true,"records":[\#(records)]}"#)
            }
            let items: [(name: String, key: String?)] =
                request.method == .delete
                ? (request[parameter: "ids"] ?? "").split(separator: ",").map { (String($0), nil) }
                : (request.json?["records"]?.arrayValue ?? []).map {
                    ($0["Name"]?.stringValue ?? "", $0["Ext__c"]?.stringValue)
                }
            let answers = items.map { item in
                if mentions(item.name, refused) {
                    return #"{"success":false,"errors":[{"statusCode":"STRING_TOO_LONG","message":"m"}]}"#
                }
                if let key = item.key { rows.withLock { $0[key] = item.name } }
                return #"{"id":"\#(rowId(item.key ?? item.name))","success":true,"errors":[]}"#
            }
            return HTTPAnswer("[\(answers.joined(separator: ","))]", headers: date)
        }.check()
    }
}

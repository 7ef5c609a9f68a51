// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupKit

@Suite struct ConfiguredSyncsTests {
    static func definition(
        _ target: String, _ type: SyncType = .syncDown, options: String = "{}"
    ) throws -> SyncDefinition {
        SyncDefinition(
            name: "s", type: type, soup: "contacts", target: TargetReference(try JSONValue(parsing: target)),
            options: try SyncOptions(json: try JSONValue(parsing: options)))
    }

    static func isSame(_ imported: SyncDefinition, _ configured: SyncDefinition) -> Bool {
        ConfiguredSyncs(definitions: [configured], registry: .standard).isSame(imported, configured)
    }

    @Test(arguments: [
        // Class names, defaults, and a completed query.
        (
            #"{"type":"soql","iOSImpl":"SFSoqlSyncDownTarget","idFieldName":"Id","modificationDateFieldName":"LastModifiedDate","maxBatchSize":2000,"query":"select Id,LastModifiedDate,Name from Account order by LastModifiedDate"}"#,
            #"{"type":"soql","query":"SELECT Name FROM Account"}"#, true
        ),
        (
            #"{"type":"soql","query":"select Id,LastModifiedDate,Name from Account where Name = 'a' order by LastModifiedDate limit 5"}"#,
            #"{"type":"soql","query":"SELECT Name FROM Account WHERE Name = 'a' LIMIT 5"}"#, true
        ),
        (
            #"{"type":"soql","query":"select Name from Account where Name = 'a'"}"#,
            #"{"type":"soql","query":"select Name from Account where Name = 'b'"}"#, false
        ),
        (
            #"{"type":"soql","query":"select Name from Account","maxBatchSize":500}"#,
            #"{"type":"soql","query":"select Name from Account"}"#, false
        ),
        (
            #"{"type":"soql","query":"select Name from Account","idFieldName":"Key__c"}"#,
            #"{"type":"soql","query":"select Name from Account"}"#, false
        ),
        (
            #"{"type":"mru","sobjectType":"Account","fieldlist":["Id","Name"],"androidImpl":"com.salesforce.androidsdk.mobilesync.target.MruSyncDownTarget"}"#,
            #"{"type":"mru","sobjectType":"Account","fieldlist":["Id","Name"]}"#, true
        ),
        (
            #"{"type":"mru","sobjectType":"Account","fieldlist":["Id","Name"]}"#,
            #"{"type":"mru","sobjectType":"Account","fieldlist":["Id"]}"#, false
        ),
        (#"{"type":"soql","query":"not soql"}"#, #"{"type":"soql","query":"not soql, too"}"#, false),
        (#"{"type":"unknown"}"#, #"{"type":"unknown"}"#, false),
    ]) func `Sync downs are compared by their meaning`(
        _ imported: String, _ configured: String, _ isSame: Bool
    ) throws {
        #expect(try Self.isSame(Self.definition(imported), Self.definition(configured)) == isSame)
    }

    @Test(arguments: [
        (
            #"{"iOSImpl":"SFCollectionSyncUpTarget","type":"rest","maxBatchSize":200,"createFieldlist":["Name"]}"#,
            #"{"createFieldlist":["Name"]}"#, true
        ),
        (
            #"{"iOSImpl":"SFBatchSyncUpTarget","type":"rest","createFieldlist":["Name"]}"#,
            #"{"createFieldlist":["Name"]}"#, false
        ),
        (#"{"type":"rest","createFieldlist":["Name"]}"#, #"{"createFieldlist":["Name","Phone"]}"#, false),
        (#"{"type":"rest","externalIdFieldName":""}"#, "{}", true),
    ]) func `Sync ups are compared by their meaning`(_ imported: String, _ configured: String, _ isSame: Bool) throws {
        #expect(try Self.isSame(Self.definition(imported, .syncUp), Self.definition(configured, .syncUp)) == isSame)
    }

    @Test(arguments: [
        (#"{"mergeMode":"OVERWRITE","fieldlist":[]}"#, "{}", true),
        (#"{"mergeMode":"OVERWRITE"}"#, #"{"mergeMode":"LEAVE_IF_CHANGED"}"#, false),
        (#"{"fieldlist":["Name"]}"#, "{}", false),
    ]) func `Options are compared`(_ imported: String, _ configured: String, _ isSame: Bool) throws {
        let target = #"{"type":"soql","query":"select Id from Account"}"#
        #expect(
            try Self.isSame(Self.definition(target, options: imported), Self.definition(target, options: configured))
                == isSame)
    }
}

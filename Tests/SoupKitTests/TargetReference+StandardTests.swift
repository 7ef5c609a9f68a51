// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import Testing

/// Targets that are created in code, compared with targets of a file.
@Suite struct TargetReferenceStandardTests {
    private static let accounts = ParentInfo(sobjectType: "Account", soupName: "accounts")
    private static let contacts = ChildrenInfo(
        ParentInfo(sobjectType: "Contact", soupName: "contacts"), sobjectTypePlural: "Contacts",
        parentIdFieldName: "AccountId", fieldlist: ["LastName"])

    /// Returns the members of a target object for the same parent and children.
    private static func parentAndChildren(_ relationship: String) -> String {
        let names = #""idFieldName":"Id","modificationDateFieldName":"LastModifiedDate""#
        return #"""
            "parent":{"sobjectType":"Account","soupName":"accounts",\#(names)},
            "children":{"sobjectType":"Contact","soupName":"contacts",\#(names),"sobjectTypePlural":"Contacts",
            "parentIdFieldName":"AccountId","fieldlist":["LastName"]},"relationshipType":"\#(relationship)"
            """#
    }

    @Test func `The default arguments are the defaults of a file`() throws {
        func down<T: Decodable>(_ target: TargetReference, as type: T.Type) throws -> T {
            try JSONDecoder().decode(type, from: Data(target.json.description.utf8))
        }
        #expect(
            try down(.soql("SELECT Id FROM Contact"), as: SOQLSyncDownTarget.Configuration.self)
                == SOQLSyncDownTarget.Configuration(query: "SELECT Id FROM Contact"))
        let short = #"{"parentFieldlist":["Name"],\#(Self.parentAndChildren(""))}"#
        #expect(
            try down(
                .parentChildren(Self.accounts, parentFieldlist: ["Name"], children: [Self.contacts]),
                as: ParentChildrenSyncDownTarget.Configuration.self)
                == JSONDecoder().decode(ParentChildrenSyncDownTarget.Configuration.self, from: Data(short.utf8)))
        let infos = [BriefcaseObjectInfo(soupName: "a", sobjectType: "Account", fieldlist: ["Name"])]
        let briefcase = #"{"infos":[{"soupName":"a","sobjectType":"Account","fieldlist":["Name"]}]}"#
        #expect(
            try down(.briefcase(infos), as: BriefcaseSyncDownTarget.Configuration.self)
                == JSONDecoder().decode(BriefcaseSyncDownTarget.Configuration.self, from: Data(briefcase.utf8)))
    }

    @Test(arguments: [
        (TargetReference.soql("SELECT Id FROM Contact"), #"{"type":"soql","query":"SELECT Id FROM Contact"}"#),
        (
            .soql("SELECT Id FROM Contact", maxBatchSize: 500),
            #"{"type":"soql","query":"SELECT Id FROM Contact","maxBatchSize":500}"#
        ),
        (
            .soql("SELECT Id FROM Contact", deletes: .incremental, bulk: .never, bulkThreshold: 20_000),
            #"{"type":"soql","query":"SELECT Id FROM Contact","deletes":"incremental","bulk":"never","bulkThreshold":20000}"#
        ),
        (.sosl("FIND {a} RETURNING Contact(Id)"), #"{"type":"sosl","query":"FIND {a} RETURNING Contact(Id)"}"#),
        (.mru("Contact", fieldlist: ["Name"]), #"{"type":"mru","sobjectType":"Contact","fieldlist":["Name"]}"#),
        (
            .refresh("Contact", fieldlist: ["Name"], soupName: "contacts"),
            #"{"type":"refresh","sobjectType":"Contact","fieldlist":["Name"],"soupName":"contacts"}"#
        ),
        (
            .refresh(
                "Contact", fieldlist: ["Name"], soupName: "contacts", deletes: .incremental, lookback: .seconds(60)),
            #"{"type":"refresh","sobjectType":"Contact","fieldlist":["Name"],"soupName":"contacts","deletes":"incremental","lookback":60}"#
        ),
        (
            .layout("Contact", formFactor: "Large", mode: "View"),
            #"{"type":"layout","sobjectType":"Contact","formFactor":"Large","mode":"View"}"#
        ),
        (.metadata("Contact"), #"{"type":"metadata","sobjectType":"Contact"}"#),
        (
            .briefcase([BriefcaseObjectInfo(soupName: "a", sobjectType: "Account", fieldlist: ["Name"])]),
            #"{"type":"briefcase","infos":[{"soupName":"a","sobjectType":"Account","fieldlist":["Name"],"idFieldName":"Id","modificationDateFieldName":"LastModifiedDate"}],"countIdsPerRetrieve":2000}"#
        ),
        (
            .briefcase(
                [BriefcaseObjectInfo(soupName: "a", sobjectType: "Account", fieldlist: ["Name"])],
                lookback: .seconds(60), deletes: .incremental),
            #"{"type":"briefcase","infos":[{"soupName":"a","sobjectType":"Account","fieldlist":["Name"],"idFieldName":"Id","modificationDateFieldName":"LastModifiedDate"}],"countIdsPerRetrieve":2000,"lookback":60,"deletes":"incremental"}"#
        ),
        (
            .parentChildren(
                accounts, parentFieldlist: ["Name"], children: [contacts], lookback: .seconds(60),
                deletes: .incremental),
            #"{"type":"parent_children",\#(parentAndChildren("LOOKUP")),"parentFieldlist":["Name"],"parentSoqlFilter":"","maxBatchSize":2000,"changedChildrenOnly":false,"childrenOfUnchangedParents":true,"lookback":60,"deletes":"incremental"}"#
        ),
        (
            .parentChildren(
                accounts, parentFieldlist: ["Name"], children: [contacts], relationship: .masterDetail,
                parentSoqlFilter: "Name != null", maxBatchSize: 500, changedChildrenOnly: true,
                childrenOfUnchangedParents: false),
            #"{"type":"parent_children",\#(parentAndChildren("MASTER_DETAIL")),"parentFieldlist":["Name"],"parentSoqlFilter":"Name != null","maxBatchSize":500,"changedChildrenOnly":true,"childrenOfUnchangedParents":false}"#
        ),
    ])
    func `A sync-down target has the JSON of a file`(_ target: TargetReference, _ json: String) throws {
        #expect(target.json == (try JSONValue(parsing: Array(json.utf8))))
        var problems: [ConfigurationProblem] = []
        #expect(PluginRegistry.standard.downTarget(target, problems: &problems) != nil && problems == [])
    }

    @Test(arguments: [
        (TargetReference.rest(), #"{"type":"rest"}"#),
        (
            .rest(
                createFieldlist: ["A"], updateFieldlist: ["B"], externalIdFieldName: "E__c", sobjectType: "Contact",
                maxBatchSize: 10),
            #"{"type":"rest","createFieldlist":["A"],"updateFieldlist":["B"],"externalIdFieldName":"E__c","sobjectType":"Contact","maxBatchSize":10}"#
        ),
        (
            .rest(clientKeyFieldName: "Key__c", isStrict: true),
            #"{"type":"rest","clientKeyFieldName":"Key__c","strict":true}"#
        ),
        (.batch(clientKeyFieldName: "Key__c"), #"{"type":"batch","clientKeyFieldName":"Key__c"}"#),
        (.single(clientKeyFieldName: "Key__c"), #"{"type":"single","clientKeyFieldName":"Key__c"}"#),
        (.batch(updateFieldlist: ["B"]), #"{"type":"batch","updateFieldlist":["B"]}"#),
        (.single(createFieldlist: ["A"]), #"{"type":"single","createFieldlist":["A"]}"#),
        (
            .parentChildren(accounts, createFieldlist: ["A"], updateFieldlist: nil, children: [contacts]),
            #"{"type":"parent_children",\#(parentAndChildren("LOOKUP")),"createFieldlist":["A"],"allOrNone":false}"#
        ),
    ])
    func `A sync-up target has the JSON of a file`(_ target: TargetReference, _ json: String) throws {
        #expect(target.json == (try JSONValue(parsing: Array(json.utf8))))
        var problems: [ConfigurationProblem] = []
        #expect(PluginRegistry.standard.upTarget(target, problems: &problems) != nil && problems == [])
    }
}

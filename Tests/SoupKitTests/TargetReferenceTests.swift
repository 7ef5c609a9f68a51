// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import Testing

/// Targets that are made in code are those of a file.
@Suite struct TargetReferenceTests {
    @Test(arguments: [
        (TargetReference.soql("SELECT Id FROM Contact"), #"{"type":"soql","query":"SELECT Id FROM Contact"}"#),
        (
            .soql("SELECT Id FROM Contact", maxBatchSize: 500),
            #"{"type":"soql","query":"SELECT Id FROM Contact","maxBatchSize":500}"#
        ),
        (.sosl("FIND {a} RETURNING Contact(Id)"), #"{"type":"sosl","query":"FIND {a} RETURNING Contact(Id)"}"#),
        (.mru("Contact", fieldlist: ["Name"]), #"{"type":"mru","sobjectType":"Contact","fieldlist":["Name"]}"#),
        (
            .refresh("Contact", fieldlist: ["Name"], soupName: "contacts"),
            #"{"type":"refresh","sobjectType":"Contact","fieldlist":["Name"],"soupName":"contacts"}"#
        ),
        (
            .layout("Contact", formFactor: "Large", mode: "View"),
            #"{"type":"layout","sobjectType":"Contact","formFactor":"Large","mode":"View"}"#
        ),
        (.metadata("Contact"), #"{"type":"metadata","sobjectType":"Contact"}"#),
    ])
    func downTargets(_ target: TargetReference, _ json: String) throws {
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
        (.batch(updateFieldlist: ["B"]), #"{"type":"batch","updateFieldlist":["B"]}"#),
        (.single(createFieldlist: ["A"]), #"{"type":"single","createFieldlist":["A"]}"#),
    ])
    func upTargets(_ target: TargetReference, _ json: String) throws {
        #expect(target.json == (try JSONValue(parsing: Array(json.utf8))))
        var problems: [ConfigurationProblem] = []
        #expect(PluginRegistry.standard.upTarget(target, problems: &problems) != nil && problems == [])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Errors that a run of a sync would report.
@Suite struct ValidateRunsTests {
    /// A soup with the indexes that syncs need, and one without them.
    static let mixedStore = """
        { "soups": [ { "soupName": "contacts", "indexes": [
            { "path": "Id", "type": "string" }, { "path": "__local__", "type": "string" } ] },
          { "soupName": "bare", "indexes": [ { "path": "Name", "type": "string" } ] } ] }
        """

    /// Errors that would make a run fail: the type, the soup, the target and the merge mode of a sync, and the expected
    /// path, and parts of the expected message and hint.
    static let runErrors: [(sync: (String, String, String, String), path: String, message: String, hint: String)] = [
        (
            (
                "syncDown", "contacts",
                #"{"type": "refresh", "soupName": "kontakte", "sobjectType": "Contact", "fieldlist": ["LastName"]}"#,
                "OVERWRITE"
            ),
            "target.soupName", #"no soup "kontakte""#, "Known: bare, contacts."
        ),
        (
            (
                "syncDown", "contacts", #"{"type": "refresh", "sobjectType": "Contact", "fieldlist": ["LastName"]}"#,
                "OVERWRITE"
            ),
            "target.soupName", "missing", #"Add "soupName" with a string."#
        ),
        (
            (
                "syncDown", "contacts",
                #"{"type": "refresh", "soupName": "bare", "sobjectType": "Contact", "fieldlist": ["LastName"]}"#,
                "OVERWRITE"
            ),
            "target.soupName", #"no index on "Id""#, #"Add {"path": "Id", "type": "string"}"#
        ),
        (
            (
                "syncDown", "contacts", #"{"type": "refresh", "soupName": "contacts", "sobjectType": "Contact"}"#,
                "OVERWRITE"
            ),
            "target.fieldlist", "missing", #"Add "fieldlist" with an array of strings."#
        ),
        (
            ("syncDown", "contacts", #"{"type": "layout", "sobjectType": "Contact", "mode": "Veiw"}"#, "OVERWRITE"),
            "target.mode", #"no mode "Veiw""#, #"Known: View, Edit, Create. Did you mean "View"?"#
        ),
        (
            (
                "syncDown", "contacts", #"{"type": "layout", "sobjectType": "Contact", "formFactor": "Huge"}"#,
                "OVERWRITE"
            ),
            "target.formFactor", #"no form factor "Huge""#, "Known: Large, Medium, Small."
        ),
        (
            (
                "syncDown", "contacts", #"{"type": "layout", "sobjectType": "Contact", "layoutType": "Fulll"}"#,
                "OVERWRITE"
            ),
            "target.layoutType", #"no layout type "Fulll""#, #"Did you mean "Full"?"#
        ),
        (
            ("syncDown", "bare", #"{"type": "soql", "query": "SELECT Name FROM Contact"}"#, "OVERWRITE"),
            "soupName", #"no index on "Id""#, #"Add {"path": "Id", "type": "string"}"#
        ),
        (
            ("syncUp", "bare", #"{"createFieldlist": ["Name"], "updateFieldlist": ["Name"]}"#, "MERGE"),
            "soupName",
            #"no index on "__local__", which the sync needs to keep synced copies for the merge mode MERGE"#,
            #"Add {"path": "__local__", "type": "string"}"#
        ),
        (
            (
                "syncUp", "contacts",
                #"{"type": "parent_children", "createFieldlist": ["Name"], "updateFieldlist": ["Name"], "parent": {"sobjectType": "Account", "soupName": "contacts"}, "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "parentIdFieldName": "AccountId", "soupName": "bare", "fieldlist": []}}"#,
                "OVERWRITE"
            ),
            "target.children.soupName",
            #"no index on "AccountId", which the sync needs to relate children to their parents"#,
            #"Add {"path": "AccountId", "type": "string"}"#
        ),
        (
            (
                "syncDown", "contacts",
                #"{"type": "parent_children", "parentFieldlist": ["Name"], "childrenFieldlist": ["LastName"], "parent": {"sobjectType": "Account", "soupName": "contacts"}, "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "parentIdFieldName": "AccountId", "soupName": "nowhere"}}"#,
                "OVERWRITE"
            ),
            "target.children.soupName", #"no soup "nowhere""#, "Known: bare, contacts."
        ),
    ]

    @Test(arguments: runErrors.indices) func `Errors of a run are found by validation`(index: Int) async throws {
        let (sync, path, message, hint) = Self.runErrors[index]
        let (type, soup, target, mode) = sync
        let text = """
            {"syncs": [{"syncName": "a", "syncType": "\(type)", "soupName": "\(soup)",
              "target": \(target), "options": {"mergeMode": "\(mode)"}}]}
            """
        let folder = try WorkFolder(["userstore.json": Self.mixedStore, "usersyncs.json": text])
        let result = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(result.status == 1)
        let errors = try result.jsonErrors
        #expect(errors.map { $0["path"] } == [.string("syncs[0].\(path)")], "\(errors)")
        let error = try #require(errors.first)
        #expect(error["file"] == "usersyncs.json" && error["line"] != nil && error["column"] != nil)
        #expect(error["message"]?.stringValue?.contains(message) == true, "\(error)")
        #expect(error["hint"]?.stringValue?.contains(hint) == true, "\(error)")
    }
}

#endif

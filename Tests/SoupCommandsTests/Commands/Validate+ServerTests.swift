// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupLocalOrg
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Tests `soup validate --server`, which checks names of objects and fields.
@Suite struct ValidateServerTests {
    private static func folder(_ syncs: String...) throws -> WorkFolder {
        let store = """
            {"soups": [\(["contacts", "accounts", "notes"].map { #"""
                {"soupName": "\#($0)", "indexes": [{"path": "Id", "type": "string"},
                    {"path": "__local__", "type": "string"}, {"path": "AccountId", "type": "string"}]}
                """# }.joined(separator: ", "))]}
            """
        return try WorkFolder([
            "userstore.json": store, "usersyncs.json": "{\"syncs\": [\n\(syncs.joined(separator: ",\n"))]}",
        ])
    }

    private static func sync(
        _ name: String, _ target: String, soup: String? = nil, options: String = ""
    ) -> String {
        let type = name.hasPrefix("down") ? "syncDown" : "syncUp"
        let soup = soup ?? (target.contains("Account\"") ? "accounts" : "contacts")
        return #"{"syncName": "\#(name)", "syncType": "\#(type)", "soupName": "\#(soup)", "target": \#(target), "#
            + #""options": {"mergeMode": "OVERWRITE"\#(options)}}"#
    }

    private static let contacts = sync(
        "down", #"{"type": "soql", "query": "SELECT LastName, Title, Account.Name FROM Contact"}"#)

    private func problems(_ folder: WorkFolder, _ org: ServedOrg) async throws -> [String] {
        let run = try await org.soup(folder, "validate", "--server")
        let errors = try run.jsonErrors
        #expect(run.status == (errors.isEmpty ? 0 : 1) && errors.allSatisfy { $0["file"] == "usersyncs.json" })
        return errors.map {
            "\($0["line"]?.intValue ?? 0) \($0["path"]?.stringValue ?? ""): \($0["message"]?.stringValue ?? "")"
                + " - \($0["hint"]?.stringValue ?? "")"
        }
    }

    @Test func `A sync that the server was not asked about is reported`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let service = #"{"type": "http", "path": "/contacts", "id": "Id"}"#
            let folder = try Self.folder(Self.contacts, Self.sync("downService", service))
            let run = try await org.soup(folder, "validate", "--server")
            let messages = try run.json.compactMap { $0["warning"]?["message"]?.stringValue }
            #expect(run.status == 0)
            #expect(
                messages.filter { $0.hasPrefix("the server was not asked") } == [
                    "the server was not asked about the sync \"downService\": its target reports no objects and fields"
                ], "\(messages)")
        }
    }

    @Test(
        arguments: [
            ("DoNotCall", "it has the type boolean"), ("Description", "and queries cannot search it"),
            ("FirstName", nil),
        ] as [(String, String?)])
    func `A field for client keys must contain texts`(field: String, fault: String?) async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let target =
                #"{"sobjectType": "Contact", "createFieldlist": ["LastName"], "clientKeyFieldName": "\#(field)"}"#
            let problems = try await problems(try Self.folder(Self.contacts, Self.sync("up", target)), org)
            #expect(problems.count == (fault == nil ? 0 : 1), "\(problems)")
            guard let fault else { return }
            #expect(problems.allSatisfy { $0.contains("Contact.\(field) cannot contain a key") && $0.contains(fault) })
        }
    }

    @Test func `Names that the server has are valid`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let tree = #"""
                {"type": "parent_children", "parent": {"sobjectType": "Account", "soupName": "accounts"},
                 "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                   "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP",
                 "createFieldlist": ["Name"], "updateFieldlist": ["Name"],
                 "childrenCreateFieldlist": ["LastName"], "childrenUpdateFieldlist": ["LastName", "Id", "id"]}
                """#
            let query =
                "SELECT Name, toLabel(Industry) label, (SELECT LastName, toLabel(Title) job FROM Contacts) FROM Account"
            let accounts = #"{"type": "soql", "query": "\#(query)"}"#
            let folder = try Self.folder(
                Self.contacts, Self.sync("up", #"{"type": "rest"}"#, options: #", "fieldlist": ["LastName", "Title"]"#),
                Self.sync("upTree", tree), Self.sync("downAccounts", accounts),
                Self.sync("downLayout", #"{"type": "layout", "sobjectType": "Cntact"}"#, soup: "notes"))
            #expect(try await problems(folder, org) == [])
            // One request for each object.
            let requests = org.org.journal.map(\.path).filter { $0.hasSuffix("/describe") }
            #expect(requests.count == 2 && Set(requests).count == 2, "\(requests)")
        }
    }

    @Test func `Unknown names are reported with their places`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try Self.folder(
                Self.sync("down", #"{"type": "soql", "query": "SELECT LastNme, Acount.Name FROM Contact"}"#),
                Self.sync("downMru", #"{"type": "mru", "sobjectType": "Acount", "fieldlist": ["Name"]}"#))
            let hint = "Check the name, and that the user has permission to see the object."
            let found = try await problems(folder, org)
            #expect(
                found == [
                    #"2 syncs[0].target.query: Contact has no field "LastNme" on the server - Did you mean "LastName"?"#,
                    #"2 syncs[0].target.query: Contact has no field "Acount.Name" on the server - "#
                        + #"Did you mean "Account"?"#,
                    #"3 syncs[1].target.fieldlist: the server has no object "Acount" - \#(hint)"#,
                ])
        }
    }

    @Test func `Names of other target options are compared, too`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let list = #""createFieldlist": ["LastName"], "updateFieldlist": []"#
            let folder = try Self.folder(
                Self.contacts, Self.sync("up", #"{"type": "rest", "sobjectType": "Cntact", \#(list)}"#),
                Self.sync(
                    "upBatch",
                    #"{"type": "batch", "sobjectType": "Contact", "externalIdFieldName": "Ext_c", \#(list)}"#),
                Self.sync(
                    "downMru",
                    #"{"type": "mru", "sobjectType": "Contact", "fieldlist": ["LastName", "Title", "Account.Name"], "#
                        + #""modificationDateFieldName": "LastModified"}"#))
            let found = try await problems(folder, org).map { $0.split(separator: " - ").first.map(String.init) ?? "" }
            #expect(
                found == [
                    #"3 syncs[1].target.createFieldlist: the server has no object "Cntact""#,
                    #"3 syncs[1].target.updateFieldlist: the server has no object "Cntact""#,
                    #"4 syncs[2].target.externalIdFieldName: Contact has no field "Ext_c" on the server"#,
                    #"5 syncs[3].target: Contact has no field "LastModified" on the server"#,
                ])
        }
    }

    /// The modification date is not added to a query with `"rewrite": false`.
    @Test(arguments: [true, false]) func `A field that is not requested is not checked`(rewrite: Bool) async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let target =
                #"{"type": "soql", "query": "SELECT Id, LastName FROM Contact", "rewrite": \#(rewrite), "#
                + #""modificationDateFieldName": "Changed"}"#
            let found = try await problems(try Self.folder(Self.sync("down", target)), org)
            #expect(found.count == (rewrite ? 1 : 0), "\(found)")
        }
    }

    /// It is reported once, not as an error of each object.
    @Test func `A missing API version is reported`() async throws {
        let folder = try Self.folder(Self.contacts)
        let transport = ScriptedTransport { _ in
            HTTPAnswer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"The requested resource does not exist"}]"#)
        }
        let error = await #expect(throws: SoupError.self) {
            try await ConfigurationFolder(
                reading: folder.url, environment: ["SOUP_INSTANCE_URL": "https://example.com"]
            )
            .serverProblems(transport: transport)
        }
        #expect(error?.code == .badConfiguration)
        #expect(error?.message == "the server has no API at /services/data/v66.0")
    }

    /// The server computes the name of a contact.
    @Test func `Fields that the user may not write are reported`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let up = #"{"type": "rest", "createFieldlist": ["LastName", "CreatedDate"], "updateFieldlist": ["Name"]}"#
            let contacts = Self.contacts.replacing("Title,", with: "Name, CreatedDate,")
            let found = try await problems(try Self.folder(contacts, Self.sync("up", up)), org)
            let refused =
                "on the server, so the server refuses to push it - Remove it from the fields that are sent when a "
                + "record is"
            #expect(
                found == [
                    "3 syncs[1].target.createFieldlist: the user may not set Contact.CreatedDate \(refused) created.",
                    "3 syncs[1].target.updateFieldlist: the user may not change Contact.Name \(refused) updated.",
                ])
        }
    }

    /// The target sets the field of the master itself; and the names of a record's members are case-sensitive.
    @Test func `Fields that a push leaves out are not checked`() async throws {
        try await ServedOrg.with(seed: .tiny) { org in
            let tree = #"""
                {"type": "parent_children", "parent": {"sobjectType": "Account", "soupName": "accounts"},
                 "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                   "parentIdFieldName": "AccountId", "updateFieldlist": ["lastname", "CreatedDate", "AccountId"]},
                 "relationshipType": "MASTER_DETAIL", "createFieldlist": ["Name"], "updateFieldlist": ["Name"],
                 "childrenCreateFieldlist": ["LastName", "Account", "IsDeleted"], "childrenUpdateFieldlist": ["Title"]}
                """#.replacing("\n", with: " ")
            let contacts = Self.contacts.replacing("Title,", with: "Title, AccountId, CreatedDate, IsDeleted, ")
            let found = try await problems(try Self.folder(contacts, Self.sync("upTree", tree)), org)
            let places = found.map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") }
            #expect(
                places == [
                    #"3 syncs[1].target.children.updateFieldlist: Contact has no field "lastname" on the server - "#
                        + #"Did you mean "LastName"?"#,
                    "3 syncs[1].target.children.updateFieldlist: the user may not change Contact.CreatedDate on the "
                        + "server, so the server refuses to push it - Remove it from the fields that are sent when a record is "
                        + "updated.",
                    "3 syncs[1].target.childrenCreateFieldlist: the user may not set Contact.IsDeleted on the server, "
                        + "so the server refuses to push it - Remove it from the fields that are sent when a record is created.",
                ])
        }
    }

    @Test func `No request is sent if the files have errors`() async throws {
        let folder = try Self.folder(Self.contacts)
        let nowhere = try await SoupTool.run("validate", "--server", "--config", folder.path, "--json")
        #expect(nowhere.status == 1)
        let message = try nowhere.jsonErrors.first?["message"]?.stringValue
        #expect(message == "no server is configured")
        try await ServedOrg.with(seed: .tiny) { org in
            let folder = try Self.folder(Self.contacts.replacing("syncDown", with: "syncDwn"))
            let found = try await problems(folder, org)
            #expect(found.count == 1 && found[0].contains("syncType"))
            #expect(org.org.journal.isEmpty)
        }
    }
}

#endif

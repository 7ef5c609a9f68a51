// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct UserInterfaceTests {
    /// Returns the names of the fields of a layout, row by row.
    private func rows(_ layout: JSONValue) -> [[[String]]] {
        (layout.sections?.arrayValue ?? []).flatMap { section in
            (section.layoutRows?.arrayValue ?? []).map { row in
                (row.layoutItems?.arrayValue ?? []).map { item in
                    (item.layoutComponents?.arrayValue ?? []).compactMap { $0.apiName?.stringValue }
                }
            }
        }
    }

    @Test func `A layout has every field once`() async throws {
        let client = try OrgClient()
        for object in ["Account", "Contact", "Opportunity", "Visit__c"] {
            let layout = try await client.json(
                .get, "ui-api/layout/\(object)?formFactor=Large&layoutType=Full&mode=Edit")
            #expect(layout.layoutType == "Full" && layout.mode == "Edit")
            #expect(layout.objectApiName == .string(object))
            let fields = try await client.json(.get, "sobjects/\(object)/describe").fields?.arrayValue ?? []
            let names = fields.filter { $0.type != "address" }.compactMap { $0["name"]?.stringValue }
            #expect(rows(layout).flatMap { $0 }.flatMap { $0 }.sorted() == names.sorted(), "\(object)")
            #expect(rows(layout).allSatisfy { (1...2).contains($0.count) })
        }
    }

    @Test func `A layout item contains whether it is editable`() async throws {
        let client = try OrgClient()
        let layout = try await client.json(.get, "ui-api/layout/visit__c?formFactor=Small")
        #expect(layout.mode == "View" && rows(layout).allSatisfy { $0.count == 1 })
        let items = (layout.sections?.arrayValue ?? []).flatMap { $0.layoutRows?.arrayValue ?? [] }
            .flatMap { $0.layoutItems?.arrayValue ?? [] }
        let item = items.first { $0.layoutComponents?[0]?.apiName == "Account__c" }
        #expect(
            item == [
                "label": "Account", "editableForNew": true, "editableForUpdate": true, "required": false,
                "sortable": true,
                "lookupIdApiName": "Id",
                "layoutComponents": [["apiName": "Account__c", "componentType": "Field", "label": "Account"]],
            ])
        let compact = try await client.json(.get, "ui-api/layout/Account?layoutType=Compact")
        #expect(rows(compact).count == 5 && rows(compact)[0] == [["Name"]])
        let again = try await client.json(.get, "ui-api/layout/Account?layoutType=Compact")
        #expect(compact.eTag == again.eTag && compact.eTag != layout.eTag)
    }

    @Test(arguments: [
        ("layout/Nope", 404), ("layout/Account?mode=Look", 400),
        ("layout/Account?recordTypeId=012000000000009AAA", 400),
        ("layout/Account?formFactor=Huge", 400), ("object-info/Nope", 404), ("nothing", 404),
        ("object-info/Account/picklist-values/012000000000000AAA/Name", 400),
        ("object-info/Account/picklist-values/x", 404), ("records/001000000000999AAA?fields=Account.Name", 404),
        ("records/x?fields=Account.Name", 404),
    ])
    func `Unknown resources are rejected`(_ path: String, _ status: Int) async throws {
        let answer = try await OrgClient().send(.get, "ui-api/\(path)")
        #expect(answer.status == status)
        #expect((try JSONValue(parsing: answer.body))[0]?.errorCode?.stringValue != nil)
    }

    @Test func `An object info contains its fields`() async throws {
        let client = try OrgClient()
        let info = try await client.json(.get, "ui-api/object-info/contact")
        #expect(info.apiName == "Contact" && info.keyPrefix == "003" && info.nameFields == ["FirstName", "LastName"])
        #expect(info.fields?.LastName?.required == true && info.fields?.LastName?.dataType == "String")
        let account = info.fields?.AccountId
        #expect(
            account?.dataType == "Reference" && account?.reference == true && account?.relationshipName == "Account")
        #expect(account?.referenceToInfos == [["apiName": "Account", "nameFields": ["Name"]]])
        #expect(info.recordTypeInfos?["012000000000000AAA"]?.master == true)
        let children = try await client.json(.get, "ui-api/object-info/Account").childRelationships?.arrayValue ?? []
        #expect(children.contains { $0.childObjectApiName == "Contact" && $0.relationshipName == "Contacts" })
        let directory = try await client.json(.get, "ui-api/object-info")
        #expect(directory.objects?.Visit__c?.labelPlural == "Visits")
        let batch = try await client.json(.get, "ui-api/object-info/batch/Account,Nope")
        #expect(batch.hasErrors == true && batch.results?.arrayValue?.map { $0.statusCode } == [200, 404])
        #expect(batch.results?[0]?.result?.apiName == "Account")
    }

    @Test func `Picklists contain their values`() async throws {
        let client = try OrgClient()
        let all = try await client.json(.get, "ui-api/object-info/Visit__c/picklist-values/012000000000000AAA")
        #expect(
            all.picklistFieldValues?.Status__c?["values"]?.arrayValue?.map { $0.value } == [
                "Planned", "Done", "Cancelled",
            ])
        let one = try await client.json(
            .get, "ui-api/object-info/Visit__c/picklist-values/012000000000000AAA/Status__c")
        #expect(one == all.picklistFieldValues?.Status__c && one.defaultValue?.label == "Planned")
    }

    @Test func `Records are read one by one or in batches`() async throws {
        let client = try OrgClient()
        let id = client.org.id(of: "con1") ?? ""
        let fields = "fields=Contact.LastName,Contact.Account.Name&optionalFields=Contact.Email,Contact.Nope"
        let record = try await client.json(.get, "ui-api/records/\(id)?\(fields)")
        #expect(record.apiName == "Contact" && record.id == .string(id))
        #expect(record.systemModstamp == "2024-01-15T12:00:00.000Z")
        #expect(record.fields?.LastName == ["displayValue": nil, "value": "Ng"])
        #expect(record.fields?.Email?.value == "ana@example.org")
        #expect(record.fields?.Account?.displayValue == "Acme")
        #expect(record.fields?.Account?.value?.fields?["Name"]?.value == "Acme")
        for path in [id, "batch/\(id)", "\(id)?modes=View", "\(id)?fields="] {
            let answer = try await client.send(.get, "ui-api/records/\(path)")
            #expect(answer.status == 400)
            #expect(client.code(try JSONValue(parsing: answer.body)) == "INVALID_INPUT_COMBINATION")
        }
        let bad = try await client.json(.get, "ui-api/records/\(id)?layoutTypes=Fool")
        #expect(client.code(bad) == "ILLEGAL_QUERY_PARAMETER_VALUE")
        let wrong = try await client.send(.get, "ui-api/records/\(id)?fields=Account.Name")
        #expect(wrong.status == 400)
        let batch = try await client.json(.get, "ui-api/records/batch/\(id),003000000000999AAA?\(fields)")
        #expect(batch.results?.arrayValue?.map { $0.statusCode } == [200, 404] && batch.results?[0]?.result == record)
    }

    @Test func `Records contain the fields of layouts`() async throws {
        let client = try OrgClient()
        let id = client.org.id(of: "con1") ?? ""
        func names(_ query: String) async throws -> [String] {
            let record = try await client.json(.get, "ui-api/records/\(id)?\(query)")
            return record.fields?.objectValue?.members.map(\.key) ?? ["\(record)"]
        }
        let full = try await names("layoutTypes=Full")
        #expect(Set(["Name", "AccountId", "Account", "Owner", "MailingCity", "CreatedDate"]).isSubset(of: full))
        #expect(!full.contains("MailingAddress"))
        let compact = try await names("layoutTypes=Compact&optionalFields=Contact.Birthdate,Contact.Nope")
        #expect(compact.first == "Name" && compact.contains("Birthdate") && compact.count < 10)
        let made = try await names("layoutTypes=Full&modes=Create")
        #expect(made.contains("LastName") && !made.contains("Name") && !made.contains("CreatedDate"))
        #expect(Set(try await names("layoutTypes=Full,Compact&modes=Create,View")) == Set(full))
        let record = try await client.json(.get, "ui-api/records/\(id)?layoutTypes=Full")
        #expect(record.fields?.Account?.displayValue == "Acme")
    }

    /// Within one second the dates stay the same, but the entity tag changes.
    @Test func `The tag of a record changes with every change`() async throws {
        let client = try OrgClient()
        let id = client.org.id(of: "acc1") ?? ""
        var tags: Set<String> = []
        for name in ["Acme", "B", "C", "B"] {
            _ = try await client.send(.patch, "sobjects/Account/\(id)", body: ["Name": .string(name)])
            let record = try await client.json(.get, "ui-api/records/\(id)?fields=Account.Name")
            tags.insert(record.eTag?.stringValue ?? "")
        }
        #expect(tags.count == 3)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupLocalOrg

/// Messages for invalid fields, objects and briefcase rules of a seed file.
@Suite struct DescribedFieldCheckTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try LocalOrg(seed: try OrgSeed(json: Array(text.utf8)))
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { "\($0.place.path ?? ""): \($0.message). \($0.hint ?? "")" }
        } catch {
            return ["not reported as a problem of the file: \(error)"]
        }
    }

    private func problems(fields: String) -> [String] {
        problems(#"{"objects": {"A__c": {"fields": {\#(fields)}}}}"#)
    }

    @Test(
        arguments: [
            (#""type": "int", "default": "many""#, #""many" is not a value for A__c.F__c. Write a whole number."#),
            (#""type": "boolean", "default": "maybe""#, #""maybe" is not a value for A__c.F__c. Write true or false."#),
            (#""type": "string", "default": 3"#, "3 is not a value for A__c.F__c. Write a text."),
            (#""default": []"#, "[] is not a value for A__c.F__c. Write a text."),
            (
                #""type": "date", "default": "2024-02-30""#,
                #""2024-02-30" is not a value for A__c.F__c. Write a date such as 2024-01-15."#
            ),
            (
                #""type": "reference", "referenceTo": ["User"], "default": "@me""#,
                #""@me" is not a value for A__c.F__c. Write an id."#
            ),
        ])
    func `A default that is not a value is reported`(_ description: String, _ expected: String) throws {
        let reported = problems(fields: #""F__c": {\#(description)}"#)
        #expect(
            reported.count == 1 && reported.first?.hasSuffix("objects.A__c.fields.F__c.default: " + expected) == true,
            "\(reported)"
        )
        // The same for a running org, which does not change.
        let org = try LocalOrg()
        let before = try org.state(of: "Account")
        let change = try JSONValue(parsing: #"{"Account": {"fields": {"F__c": {\#(description)}}}}"#)
        #expect(throws: ConfigurationError.self) { try org.changeSchema(change.objectValue ?? JSONObject()) }
        #expect(try org.state(of: "Account") == before)
    }

    @Test(arguments: [
        #""type": "int", "default": 3"#, #""type": "int", "default": "3""#, #""type": "string", "default": null"#,
        #""type": "boolean", "default": "TRUE""#, #""type": "date", "default": "2024-02-29""#,
        #""type": "reference", "referenceTo": ["User"], "default": "005000000000001""#,
        #""type": "double", "formula": "1", "default": "one""#,
    ])
    func `A default that is a value is imported`(_ description: String) {
        #expect(problems(fields: #""F__c": {\#(description)}"#) == [])
    }

    @Test(arguments: [
        "Id", "IsDeleted", "CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp",
        "LastViewedDate", "LastReferencedDate", "createddate", "ID",
    ])
    func `A field that every object has is reported`(_ name: String) {
        let reported = problems(fields: #""\#(name)": {"type": "datetime"}"#)
        #expect(
            reported.count == 1 && reported.first?.hasPrefix("objects.A__c.fields.\(name): ") == true, "\(reported)")
    }

    @Test func `Names that differ only in case are reported`() {
        #expect(
            problems(fields: #""B__c": {}, "b__c": {}"#) == [
                #"objects.A__c.fields.b__c: A__c has the field B__c, and names are not case-sensitive. Write "B__c" to refer to it, or use another name."#
            ])
        #expect(
            problems(#"{"objects": {"Account": {"fields": {"phone": {"length": 9}}}}}"#) == [
                #"objects.Account.fields.phone: Account has the field Phone, and names are not case-sensitive. Write "Phone" to refer to it, or use another name."#
            ])
        #expect(
            problems(#"{"objects": {"A__c": {}, "a__C": {}}}"#) == [
                "objects.a__C: the object A__c is described already. Describe it in one place."
            ])
        for name in ["sqlite_x", "SQLite_Stat1"] {
            #expect(
                problems(#"{"objects": {"\#(name)": {}}}"#) == [
                    "objects.\(name): no object can have the name \(name). Use a name that does not begin with sqlite_."
                ])
        }
        #expect(problems(#"{"objects": {"account": {"fields": {"Phone": {"length": 9}, "OwnerId": {}}}}}"#).isEmpty)
    }

    @Test func `A briefcase rule is read`() {
        #expect(
            problems(#"{"briefcase": [{"object": "Account", "whre": "Name = 'x'"}]}"#) == [
                #"briefcase[0].whre: the key "whre" is not known. Did you mean "where"?"#
            ])
        #expect(
            problems(#"{"briefcase": [{"object": "Account"}, {"object": "Account", "where": 3, "limit": "9"}, 4]}"#)
                .map { String($0.prefix { $0 != ":" }) } == [
                    "briefcase[1].where", "briefcase[1].limit", "briefcase[2]",
                ])
        #expect(
            problems(
                #"{"briefcase": [{"id": "a", "object": "Account", "where": "Name != null", "orderBy": "Name", "limit": 5, "related": ["Contacts"]}]}"#
            ) == [])
    }

    @Test func `A rule too deep for SQLite is reported early`() {
        func rule(_ depth: Int) -> [String] {
            let condition =
                (0..<depth).map { $0 % 2 == 0 ? "Name = 'x' OR (" : "Name != 'x' AND (" }.joined() + "Name = 'y'"
                + String(repeating: ")", count: depth)
            return problems(#"{"objects": {"A__c": {"validationRules": [{"when": "\#(condition)"}]}}}"#)
        }
        #expect(rule(60) == [])
        let reported = rule(98)
        let start = "objects.A__c.validationRules[0].when: the condition cannot be asked: the database refuses it: "
        #expect(reported.count == 1 && reported.first?.hasPrefix(start) == true, "\(reported)")
    }

    @Test func `Exhausted key prefixes are reported`() throws {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var taken = Set(digits.flatMap { first in digits.map { "a\(first)\($0)" } })
        taken.remove("azz")
        #expect(try SchemaReader.freePrefix(&taken) == "azz")
        let error = #expect(throws: SoupError.self) { try SchemaReader.freePrefix(&taken) }
        #expect(error?.code == .badConfiguration)
    }
}

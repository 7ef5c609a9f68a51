// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import SoupKit
import Testing

@testable import SoupCommands

@Suite struct TestCheckTests {
    private static func problems(_ text: String) throws -> [String] {
        var configuration = TestedConfiguration()
        configuration.soups["contacts"] = RecordConventions()
        let (test, problems) = TestCase.read(Array(text.utf8), file: "a.test.json", testing: configuration)
        #expect(problems.isEmpty)
        let check = TestCheck(
            try #require(test), names: ["ana", "me"], schema: ["Contact": ["Id", "LastName", "Phone"]])
        return check.problems.map(\.description)
    }

    @Test func `Names must be given before they are used`() throws {
        let found = try Self.problems(
            #"""
            {             "steps": [
               {"edit": "contacts", "where": {"Id": "@anna"}, "fields": {"Phone": "@@anna"}},
               {"create": "contacts", "fields": {"Id": "@new", "ReportsToId": "@me"}},
               {"create": "contacts", "fields": {"Id": "@new"}},
               {"org": {"create": {"Contact": [{"Id": "@ana"}]}, "delete": {"Contact": ["@bo"]}}}],
             "expect": {"store": {"contacts": [{"Id": "@new", "list": [{"Id": "@x"}]}]}}}
            """#)
        #expect(
            found == [
                #"steps[0].where.Id: no record has the name "@anna". Did you mean "@ana"?"#,
                #"steps[2].fields: the name "@new" is already used. Give one of the two records another name."#,
                #"steps[3].org.create.Contact[0]: the name "@ana" is already used. Give one of the two records another name."#,
                #"steps[3].org.delete.Contact[0]: no record has the name "@bo". Give a row or a new record "Id": "@bo", or write "@@bo" for the text itself."#,
                #"expect.store.contacts[0].list[0].Id: no record has the name "@x". Give a row or a new record "Id": "@x", or write "@@x" for the text itself."#,
            ])
    }

    @Test func `Rows can use the names of all rows and of the seed`() throws {
        let text = #"""
            {"org": {"rows": {
               "Contact": [{"Id": "@ana", "AccountId": "@acme", "ReportsToId": "@bo"}, {"OwnerId": "@me"}, {"Id": "@ana"}],
               "Account": [{"Id": "@acme", "Name": "@acne"}]}},
             "steps": [{"expect": {"org": {"Contact": []}}}]}
            """#
        let (test, _) = TestCase.read(Array(text.utf8), file: "a.test.json", testing: TestedConfiguration())
        let check = TestCheck(rowsOf: try #require(test), seeded: ["bo", "me"])
        #expect(
            check.problems.map(\.description) == [
                #"org.rows.Contact[2].Id: the name "@ana" is already used. Give one of the two records another name."#,
                #"org.rows.Account[0].Name: no record has the name "@acne". Did you mean "@acme"?"#,
            ])
    }

    @Test func `Objects and fields of the org must exist`() throws {
        let found = try Self.problems(
            #"""
            {"steps": [{"org": {"update": {"Contact": [{"Id": "@ana", "Phon": 1}]}}}],
             "expect": {"org": {"Contacts": [], "Contact": [{"Phon": null}]}}}
            """#)
        #expect(
            found == [
                #"steps[0].org.update.Contact[0].Phon: Contact has no field "Phon". Did you mean "Phone"? Describe own fields under "objects" in a seed."#,
                #"expect.org.Contacts: the org has no object "Contacts". Did you mean "Contact"? Describe own objects under "objects" in a seed; soup org import-describe reads them from an org."#,
                #"expect.org.Contact[0].Phon: Contact has no field "Phon". Did you mean "Phone"? Describe own fields under "objects" in a seed."#,
            ])
    }
}

#endif

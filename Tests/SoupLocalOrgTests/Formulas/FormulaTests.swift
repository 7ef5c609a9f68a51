// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Formula fields: the org computes them from other fields of the record.
@Suite struct FormulaTests {
    /// Returns an org whose object Deal__c has formulas `F0__c`, `F1__c`..., and one record for each list of values.
    private func org(_ formulas: [(type: String, text: String)], _ rows: [JSONObject] = []) throws -> OrgClient {
        var fields: JSONObject = [
            "Amount__c": ["type": "currency", "precision": 18, "scale": 2], "Count__c": ["type": "int"],
            "Code__c": ["type": "string"], "Stage__c": ["type": "picklist", "picklist": ["Open", "Won"]],
            "Start__c": ["type": "date"], "At__c": ["type": "datetime"], "Hot__c": ["type": "boolean"],
            "Site__c": ["type": "reference", "referenceTo": ["Account"]],
        ]
        for (index, formula) in formulas.enumerated() {
            fields["F\(index)__c"] = ["type": .string(formula.type), "scale": 2, "formula": .string(formula.text)]
        }
        let document: JSONValue = [
            "freeze": "2024-01-15T12:05:00Z", "objects": ["Deal__c": ["fields": .object(fields)]],
            "seed": .array(rows.map { ["object": "Deal__c", "values": .object($0)] }),
        ]
        var options = OrgOptions()
        options.admin = true
        return try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)), options: options)
    }

    private let row: JSONObject = [
        "Amount__c": 100.5, "Count__c": 4, "Code__c": "a'b", "Stage__c": "Won", "Start__c": "2024-02-28",
        "At__c": "2024-02-28T12:00:00Z", "Hot__c": true,
    ]

    @Test(
        arguments: [
            ("double", "1 + 2 * 3", 7, 7), ("double", "-(1 + 2) * 3", -9, -9), ("double", "Count__c / 8", 0.5, nil),
            ("double", "Amount__c / 0", nil, nil), ("double", "Amount__c - Count__c", 96.5, nil),
            ("double", "1 / 3", 0.33, 0.33), ("double", "1000000000 * 1000000000 * 10", nil, nil),
            ("int", "7 / 2", 4, 4),
            ("double", "BLANKVALUE(Count__c, 0) + 1", 5, 1), ("double", "NULL", nil, nil),
            ("string", #"Code__c & "-" & TEXT(Amount__c)"#, "a'b-100.5", "-"), ("string", "TEXT(Count__c)", "4", nil),
            ("string", "Code__c", "a'b", nil),
            ("string", #"IF(Hot__c, "hot", 'cold')"#, "hot", "cold"),
            ("string", "TEXT(Stage__c) + Code__c", "Wona'b", nil),
            ("string", "TEXT(Start__c)", "2024-02-28", nil), ("string", "TEXT(At__c)", "2024-02-28 12:00:00Z", nil),
            ("string", #"IF(Amount__c > 50, "big", IF(Amount__c <= 50, "small", "none"))"#, "big", "none"),
            ("boolean", "Amount__c > 100 && NOT(Count__c = 3)", true, false),
            ("boolean", "ISBLANK(Code__c)", false, true),
            ("boolean", #"OR(Stage__c = "Won", Stage__c = "Open", FALSE)"#, true, false),
            ("boolean", "AND(Hot__c, Count__c >= 4, Start__c < Start__c + 1)", true, false),
            ("boolean", #"Stage__c == "won""#, false, false), ("boolean", "Count__c <> 4", false, true),
            ("boolean", "!(Count__c != 4) || FALSE", true, false), ("boolean", "Count__c = NULL", false, true),
            ("date", "Start__c + 2", "2024-03-01", nil), ("date", "Start__c - Count__c", "2024-02-24", nil),
            ("double", "Start__c + 30 - Start__c", 30, nil),
            ("datetime", "At__c + 0.5", "2024-02-29T00:00:00.000+0000", nil), ("double", "At__c - (At__c - 1)", 1, nil),
        ] as [(String, String, JSONValue, JSONValue)])
    func `A formula has its value`(_ type: String, _ text: String, _ full: JSONValue, _ empty: JSONValue) throws {
        let client = try org([(type, text)], [row, [:]])
        #expect(try client.org.state(of: "Deal__c").map { $0.F0__c ?? "?" } == [full, empty])
    }

    @Test func `Quotes and backslashes are text in a formula`() throws {
        let client = try org([("string", #"'it\'s; "' & "\"\\' \n" & Code__c"#)], [row])
        #expect(try client.org.state(of: "Deal__c").map { $0.F0__c } == ["it's; \"\"\\' \na'b"])
    }

    @Test func `Queries filter and sort by a formula`() async throws {
        let client = try org(
            [("double", "Amount__c * 2"), ("string", #"Code__c & "!""#), ("boolean", "F0__c > 3")],
            [
                ["Amount__c": 1, "Code__c": "c"], ["Amount__c": 3, "Code__c": "a"], ["Amount__c": 2, "Code__c": "b"],
                [:],
            ])
        #expect(
            try await client.values("select F1__c from Deal__c where F0__c > 1 order by F0__c desc") == [
                "a!", "b!", "c!",
            ])
        #expect(try await client.values("select Code__c from Deal__c where F2__c = true order by F1__c") == ["a", "b"])
        #expect(try await client.values("select sum(F0__c) from Deal__c") == [12])
        // The value changes with the fields that it uses.
        let id = try #require(client.org.state(of: "Deal__c").last?.Id?.stringValue)
        #expect(
            try await client.send(.patch, "sobjects/Deal__c/\(id)", body: ["Amount__c": 50, "Code__c": "d"]).status
                == 204)
        let shown = try await client.json(.get, "sobjects/Deal__c/\(id)?fields=F0__c,F1__c,F2__c")
        #expect(shown.F0__c == 100 && shown.F1__c == "d!" && shown.F2__c == true)
    }

    @Test func `Clients cannot write a formula`() async throws {
        let client = try org([("double", "Amount__c * 2")], [row])
        let before = try client.org.state(of: "Deal__c")
        let path = "sobjects/Deal__c/\(before[0].Id?.stringValue ?? "")"
        for answer in [
            try await client.json(.post, "sobjects/Deal__c", body: ["F0__c": 1]),
            try await client.json(.patch, path, body: ["F0__c": 1]),
        ] {
            #expect(client.code(answer) == "INVALID_FIELD_FOR_INSERT_UPDATE" && answer[0]?.fields == ["F0__c"])
        }
        #expect(try client.org.state(of: "Deal__c") == before)
        let describe = try await client.json(.get, "sobjects/Deal__c/describe")
        let field = try #require(describe.fields?.arrayValue?.first { $0.name == "F0__c" })
        #expect(field.calculated == true && field.calculatedFormula == "Amount__c * 2" && field.type == "double")
        #expect(field.createable == false && field.updateable == false && field.nillable == true)
        #expect(field.filterable == true && field.sortable == true && field.groupable == false)
        #expect(throws: ConfigurationError.self) { try org([("double", "1")], [["F0__c": 1]]) }
    }

    @Test func `A rule may use a formula`() async throws {
        let client = try org([("double", "Amount__c * 2")], [])
        try client.org.changeSchema([
            "Deal__c": ["validationRules": [["when": "F0__c > 10", "message": "too much", "field": "Amount__c"]]]
        ])
        let answer = try await client.json(.post, "sobjects/Deal__c", body: ["Amount__c": 6])
        #expect(client.code(answer) == "FIELD_CUSTOM_VALIDATION_EXCEPTION")
        #expect(try await client.json(.post, "sobjects/Deal__c", body: ["Amount__c": 5]).success == true)
        #expect(try client.org.state(of: "Deal__c").map { $0.F0__c } == [10])
    }

    @Test(
        arguments: [
            ("double", "Amont__c", " at column 1: there is no field \"Amont__c\": did you mean Amount__c?"),
            ("double", "1 +", " at column 4: the formula is incomplete: a value is missing at its end"),
            ("double", "1 + * 2", " at column 5: there is \"*\" in the place of a value"),
            ("double", "Amount__c + Code__c", " at column 11: a text is needed here, and this is a number"),
            ("double", "Amount__c * Hot__c", " at column 11: a number is needed here, and this is a boolean"),
            ("double", "Code__c", ": the formula returns a text, and the field is a double"),
            ("string", "Code__c & 1", " at column 9: a text is needed here, and this is a number"),
            ("boolean", "Amount__c > Code__c", " at column 11: a number cannot be compared with a text"),
            (
                "string", "Site__r.Name",
                " at column 1: \"Site__r.Name\" is a field of another record: use fields of the record itself"
            ),
            ("double", "IFF(Hot__c, 1, 2)", " at column 1: there is no function \"IFF\": did you mean IF?"),
            ("double", "IF(Hot__c, 1)", " at column 1: IF takes 3 values, and has 2"),
            (
                "double", "IF(Hot__c, 1, \"a\")",
                " at column 1: both values must be of one kind, and they are a number and a text"
            ),
            ("double", "(1", " at column 3: a \")\" is missing"),
            ("double", "1 2", " at column 3: the formula should end here"),
            ("string", "\"abc", " at column 1: the text is not closed"),
            ("double", "1 # 2", " at column 3: \"#\" means nothing here"),
            ("double", "F0__c + 1", " at column 1: F0__c uses F0__c: a formula cannot use itself"),
            ("picklist", "Code__c", ": a field of the type picklist cannot be a formula"),
            ("double", "1..2", " at column 1: \"1..2\" is not a number"),
            ("double", "", " at column 1: the formula is incomplete: a value is missing at its end"),
        ] as [(String, String, String)])
    func `Uncomputable formulas are reported with position`(_ type: String, _ text: String, _ expected: String) throws {
        var results: [String] = []
        do { _ = try org([(type, text)]) } catch let error as ConfigurationError {
            results = error.problems.map { "\($0.place.path ?? "")\($0.message)" }
        }
        #expect(results == ["objects.Deal__c.fields.F0__c.formulathe formula cannot be used" + expected])
    }

    @Test(arguments: ["1+", "(", "-", "IF(TRUE,", "Code__c&"]) func `Deep formulas are rejected without a crash`(
        _ piece: String
    ) {
        #expect(throws: ConfigurationError.self) {
            try org([("double", String(repeating: piece, count: 3900 / piece.utf8.count) + "1")])
        }
        // Formulas that use each other expand to more than their own length.
        var formulas = [("string", "Code__c & Code__c")]
        for index in 1..<30 { formulas.append(("string", "F\(index - 1)__c & F\(index - 1)__c")) }
        #expect(throws: ConfigurationError.self) { try org(formulas) }
    }

    @Test func `Formulas are added, changed and removed at run time`() async throws {
        let client = try org([("double", "Amount__c * 2"), ("double", "F0__c + 1")], [row])
        func change(_ fields: JSONObject) throws {
            try client.org.changeSchema(["Deal__c": ["fields": .object(fields)]])
        }
        func values() throws -> [JSONValue?] {
            try client.org.state(of: "Deal__c").flatMap { [$0.F0__c, $0.F1__c, $0.New__c] }
        }
        #expect(try values() == [201, 202, nil])
        for used in ["Amount__c", "F0__c"] {
            #expect(throws: ConfigurationError.self) { try change([used: nil]) }
            #expect(try values() == [201, 202, nil])
        }
        try change([
            "F0__c": ["formula": "Amount__c * 3"], "New__c": ["type": "int", "formula": "Count__c + Extra__c"],
            "Extra__c": ["type": "int"],
        ])
        try client.org.edit("Deal__c", id: client.org.state(of: "Deal__c")[0].Id?.stringValue ?? "", ["Extra__c": 7])
        #expect(try values() == [301.5, 302.5, 11])
        #expect(throws: ConfigurationError.self) { try change(["Code__c": ["formula": "TEXT(1)"]]) }
        try change(["Extra__c": nil, "New__c": nil, "F0__c": nil, "F1__c": nil, "Amount__c": nil])
        #expect(try values() == [nil, nil, nil])
    }

    @Test func `A state file keeps formulas`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "soup-formula-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func open() throws -> OrgClient {
            var options = OrgOptions()
            options.stateFile = folder.appending(path: "org.db")
            return try OrgClient(options: options)
        }
        do {
            try open().org.changeSchema([
                "Account": ["fields": ["Shout__c": ["type": "string", "formula": "Name & \"!\""]]]
            ])
        }
        let client = try open()
        #expect(try client.org.state(of: "Account").prefix(2).map { $0.Shout__c } == ["Acme!", "Globex!"])
        try client.org.takeSnapshot()
        try client.org.changeSchema(["Account": ["fields": ["Shout__c": nil]]])
        try client.org.restoreSnapshot()
        #expect(try client.org.state(of: "Account").prefix(2).map { $0.Shout__c } == ["Acme!", "Globex!"])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Formulas at the limits of the database: they return their value, or the org is not created.
@Suite struct FormulaLimitsTests {
    private func org(_ fields: JSONObject, _ rows: [JSONObject] = []) throws -> OrgClient {
        let document: JSONValue = [
            "freeze": "2024-01-15T12:00:00Z", "objects": ["Deal__c": ["fields": .object(fields)]],
            "seed": .array(rows.map { ["object": "Deal__c", "values": .object($0)] }),
        ]
        return try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)))
    }

    /// Returns the messages of the problems of fields by the path of the formula.
    private func refusals(_ fields: JSONObject) throws -> [String: String] {
        do {
            _ = try org(fields)
            return [:]
        } catch let error as ConfigurationError {
            return Dictionary(error.problems.map { ($0.place.path ?? "", $0.message) }) { first, _ in first }
        }
    }

    @Test(arguments: [-200_000_000_000.0, 200_000_000_000, -1e17, 1e17, -800_000, 3_000_000])
    func `A day outside the years 1 to 9999 is empty`(_ days: Double) async throws {
        let client = try org([
            "Days__c": ["type": "double"], "Start__c": ["type": "date"],
            "At__c": ["type": "datetime", "formula": "CreatedDate + Days__c"],
            "On__c": ["type": "date", "formula": "Start__c + Days__c"],
            "Back__c": ["type": "date", "formula": "Start__c - Days__c"],
            "Text__c": ["type": "string", "formula": "TEXT(CreatedDate + Days__c) & TEXT(Start__c + Days__c)"],
        ])
        let created = try await client.json(
            .post, "sobjects/Deal__c", body: ["Days__c": .double(days), "Start__c": "2024-01-15"])
        let row = try await client.json(.get, "sobjects/Deal__c/\(created.id?.stringValue ?? "")")
        #expect([row.At__c, row.On__c, row.Text__c] == [.null, .null, .null])
        #expect((row.Back__c == .null) == (days != -800_000))
        for soql in [
            "select format(At__c) from Deal__c", "select max(At__c) from Deal__c",
            "select day_only(At__c) from Deal__c group by day_only(At__c)",
            "select hour_in_day(convertTimezone(At__c)) from Deal__c group by hour_in_day(convertTimezone(At__c))",
        ] {
            #expect(try await client.values(soql) == [.null], "\(soql)")
        }
        let job = try await client.json(
            .post, "jobs/query", body: ["operation": "query", "query": "select At__c, On__c from Deal__c"])
        let lines = try await client.send(.get, "jobs/query/\(job.id?.stringValue ?? "")/results").body
        #expect(String(decoding: lines, as: UTF8.self) == "\"At__c\",\"On__c\"\n\"\",\"\"\n")
    }

    @Test func `The first and last day are stored`() throws {
        let client = try org(
            [
                "Start__c": ["type": "date"], "At__c": ["type": "datetime"], "Days__c": ["type": "double"],
                "On__c": ["type": "date", "formula": "Start__c + Days__c"],
                "Then__c": ["type": "datetime", "formula": "At__c + Days__c"],
            ],
            [
                ["Start__c": "0001-01-02", "At__c": "0001-01-02T00:00:00Z", "Days__c": -1],
                ["Start__c": "0001-01-02", "At__c": "0001-01-02T00:00:00Z", "Days__c": -2],
                ["Start__c": "9999-12-30", "At__c": "9999-12-30T23:59:59Z", "Days__c": 1],
                ["Start__c": "9999-12-30", "At__c": "9999-12-30T23:59:59Z", "Days__c": 2],
            ])
        #expect(
            try client.org.state(of: "Deal__c").flatMap { [$0.On__c, $0.Then__c] } == [
                "0001-01-01", "0001-01-01T00:00:00.000+0000", .null, .null,
                "9999-12-31", "9999-12-31T23:59:59.000+0000", .null, .null,
            ])
    }

    /// A formula with a number of parts, and its value where `A__c` is "a", `N__c` is 1 and `Hot__c` is true.
    private static func formula(_ kind: String, _ count: Int) -> (type: String, text: String, value: JSONValue) {
        func row(_ part: String, _ separator: String) -> String {
            Array(repeating: part, count: count).joined(separator: separator)
        }
        func nested(_ open: String, _ middle: String, closing close: String) -> String {
            String(repeating: open, count: count) + middle + String(repeating: close, count: count)
        }
        switch kind {
        case "join": return ("string", row("A__c", " & "), .string(String(repeating: "a", count: count)))
        case "plus text": return ("string", row("A__c", " + "), .string(String(repeating: "a", count: count)))
        case "sum": return ("double", row("N__c", " + "), .double(Double(count)))
        case "difference": return ("double", row("N__c", " - "), .double(Double(2 - count)))
        case "product": return ("double", row("N__c", " * "), 1)
        case "or": return ("boolean", row("N__c = 2", " || ") + " || Hot__c", true)
        case "and": return ("boolean", row("N__c = 1", " && ") + " && Hot__c", true)
        case "OR": return ("boolean", "OR(\(row("N__c = 2", ", ")), Hot__c)", true)
        case "AND": return ("boolean", "AND(\(row("N__c = 1", ", ")), NOT(Hot__c))", false)
        case "NOT": return ("boolean", nested("NOT(", "Hot__c", closing: ")"), .bool(count % 2 == 0))
        case "!": return ("boolean", nested("!", "Hot__c", closing: ""), .bool(count % 2 == 0))
        case "IF": return ("double", nested("IF(N__c = 2, 0, ", "7", closing: ")"), 7)
        case "BLANKVALUE": return ("double", nested("BLANKVALUE(None__c, ", "7", closing: ")"), 7)
        case "(": return ("double", nested("(", "N__c", closing: ")"), 1)
        default: return ("boolean", nested("OR(N__c = 2, ", "Hot__c", closing: ")"), true)
        }
    }

    @Test(
        arguments: [
            "join", "plus text", "sum", "difference", "product", "or", "and", "OR", "AND", "NOT", "!", "IF",
            "BLANKVALUE", "(", "nested OR",
        ])
    func `A formula of many parts has its value`(_ kind: String) throws {
        let isNested = ["NOT", "!", "IF", "BLANKVALUE", "(", "nested OR"].contains(kind)
        for count in isNested ? [2, 18, 25, 40] : [2, 18, 25, 60, 100] {
            let (type, text, value) = Self.formula(kind, count)
            let client = try org(
                [
                    "A__c": ["type": "string"], "N__c": ["type": "int"], "None__c": ["type": "double"],
                    "Hot__c": ["type": "boolean"], "F__c": ["type": .string(type), "formula": .string(text)],
                ], [["A__c": "a", "N__c": 1, "Hot__c": true]])
            #expect(try client.org.state(of: "Deal__c").map { $0.F__c } == [value], "\(count)")
        }
    }

    @Test func `Missing parts keep their previous values`() throws {
        let formulas: [(text: String, value: JSONValue)] = [
            ("A__c & (A__c & \"x\") & A__c", "x"), ("TEXT(N__c - (N__c - 1)) & \"x\"", "x"),
            ("TEXT(8 - (4 - 1) - 2)", "3"), ("TEXT(8 / (4 / 2) / 2)", "2"), ("TEXT(8 - 2 * (3 - 1) + 1)", "5"),
            ("IF(NULL || FALSE, \"y\", IF(N__c > 1, \"y\", IF(!NULL, \"z\", \"w\")))", "z"),
            ("IF(!(NULL && TRUE), \"y\", \"n\")", "y"), ("IF(IF(FALSE, TRUE, NULL) || TRUE, \"y\", \"n\")", "y"),
            ("BLANKVALUE(A__c, BLANKVALUE(A__c, \"n\"))", "n"),
            ("IF(TRUE, IF(FALSE, \"a\", \"b\"), \"c\") & \"d\"", "bd"),
            ("IF((TRUE || FALSE) && FALSE, \"y\", \"n\")", "n"), ("IF(TRUE || FALSE && FALSE, \"y\", \"n\")", "y"),
        ]
        var fields: JSONObject = ["A__c": ["type": "string"], "N__c": ["type": "int"]]
        for (index, formula) in formulas.enumerated() {
            fields["F\(index)__c"] = ["type": "string", "formula": .string(formula.text)]
        }
        let client = try org(fields, [[:]])
        let row = try client.org.state(of: "Deal__c")[0]
        for (index, formula) in formulas.enumerated() {
            #expect(row["F\(index)__c"] == formula.value, "\(formula.text)")
        }
    }

    @Test(arguments: [20, 2000]) func `Chains of formulas are computed or rejected`(_ count: Int)
        throws
    {
        for (type, start, link) in [("string", "x", ""), ("double", "N__c", " + 1")] {
            var fields: JSONObject = ["N__c": ["type": "int"], "x": ["type": "string"]]
            fields["F0__c"] = ["type": .string(type), "formula": .string(start)]
            for index in 1..<count {
                fields["F\(index)__c"] = ["type": .string(type), "formula": .string("F\(index - 1)__c\(link)")]
            }
            let refused = try refusals(fields)
            #expect(refused.isEmpty == (count == 20))
            guard count == 20 else {
                let message = refused["objects.Deal__c.fields.F1999__c.formula"] ?? ""
                #expect(message.hasSuffix("formulas use each other in a row of more than 30"))
                #expect(message.utf8.count < 200)
                continue
            }
            let row = try org(fields, [["N__c": 1, "x": "v"]]).org.state(of: "Deal__c")[0]
            #expect(row.F19__c == (type == "string" ? "v" : 20))
        }
    }

    /// Wherever a formula is in the object, it is read exactly once.
    @Test(arguments: [false, true]) func `The order of formulas does not matter`(_ isReversed: Bool) throws {
        func fields(_ count: Int, _ link: (Int) -> String) -> JSONObject {
            let names = isReversed ? Array((0..<count).reversed()) : Array(0..<count)
            var fields: JSONObject = ["x": ["type": "string"]]
            for index in names {
                let text = index == 0 ? "x" : link(index - 1)
                fields["F\(index)__c"] = ["type": "string", "formula": .string(text)]
            }
            return fields
        }
        let row = try org(fields(30) { "F\($0)__c" }, [["x": "v"]]).org.state(of: "Deal__c")[0]
        #expect(row.F29__c == "v")
        let long = try refusals(fields(33) { "F\($0)__c" })
        #expect(
            long == [
                "objects.Deal__c.fields.F30__c.formula":
                    "the formula cannot be used at column 1: formulas use each other in a row of more than 30",
                "objects.Deal__c.fields.F31__c.formula":
                    "the formula cannot be used at column 1: the formula of F30__c cannot be used: "
                    + "formulas use each other in a row of more than 30",
                "objects.Deal__c.fields.F32__c.formula":
                    "the formula cannot be used at column 1: the formula of F31__c cannot be used: "
                    + "formulas use each other in a row of more than 30",
            ])
        // Each formula uses the previous one twice; expanded, the first would occur two to the thousandth times.
        let wide = try refusals(fields(1000) { "F\($0)__c & F\($0)__c" })
        #expect(wide.count > 900 && wide.values.allSatisfy { $0.hasSuffix("the formula is too large") })
    }

    @Test func `SQLite's errors are reported at their field`() async throws {
        // Within the limits of a formula's own text, but too deep for the database.
        let deep =
            String(repeating: "IF(IF(", count: 12) + "Hot__c"
            + String(repeating: ", TRUE, FALSE), 1 + N__c, 2) = 3", count: 12)
        let text = "IF(\(deep), 1, 2)"
        let fields: JSONObject = [
            "Hot__c": ["type": "boolean"], "N__c": ["type": "double"],
            "Good__c": ["type": "double", "formula": "N__c"],
            "F__c": ["type": "double", "formula": .string(text)],
        ]
        #expect(
            try refusals(fields) == [
                "objects.Deal__c.fields.F__c.formula":
                    "the formula cannot be used: the database refuses it: parser stack overflow"
            ])
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        let before = try await client.json(.get, "sobjects/Visit__c/describe")
        let answer = try await client.send(
            .post, "/_emu/schema", body: ["objects": ["Visit__c": ["fields": .object(fields)]]])
        #expect(answer.status == 400)
        #expect(try await client.json(.get, "sobjects/Visit__c/describe") == before)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct FieldSelectionTests {
    private func members(_ paths: [String], _ record: String, excluding: [String] = []) throws -> [String] {
        FieldSelection(paths, excluding: excluding).members(of: try JSONText(record)).map { "\($0.name)=\($0.value)" }
    }

    @Test func `Bytes are copied as they are`() throws {
        let record = #"{"Big": 12345678901234567890.10, "Name" : "a\u00e9\n", "List": [1, 2], "Nothing": null}"#
        #expect(
            try members(["Name", "Nothing", "Big", "List", "Missing"], record)
                == [#"Name="a\u00e9\n""#, "Nothing=null", "Big=12345678901234567890.10", "List=[1, 2]"])
    }

    @Test func `Paths lead through objects and keep their text`() throws {
        let record = #"{"Owner": {"Name": "x", "Tags": [{"t": 1}, {"u": 2}, {"t": 3}]}}"#
        #expect(try members(["Owner.Name", "Owner.Tags.t"], record) == [#"Owner.Name="x""#, "Owner.Tags.t=[1,3]"])
    }

    @Test func `IDs dates and attributes are never sent`() throws {
        let record = #"{"id": 1, "Id": 2, "LastModifiedDate": 3, "attributes": {}, "Name": 4}"#
        let paths = ["Id", "id", "LastModifiedDate", "attributes", "Name", "Name", ""]
        #expect(try members(paths, record, excluding: ["Id", "LastModifiedDate"]) == ["Name=4"])
    }
}

@Suite struct SalesforceIDTests {
    /// The last three characters tell which letters before them are capitals: a digit is none.
    @Test(arguments: [
        ("001000000000005AAA", true), ("001000000000005AAB", false), ("0015500001QdQWaAAN", true),
        ("001000000000005AA9", false), ("001000000000005", true), ("00100000000000é", false), ("", false),
    ])
    func `The long form is checked`(id: String, isPossible: Bool) { #expect(SalesforceID.isPossible(id) == isPossible) }

    @Test func `Both forms are one record`() {
        #expect(SalesforceID.same("0015500001QdQWa", "0015500001QdQWaAAN"))
        #expect(!SalesforceID.same("0015500001QdQWa", "0015500001QdQWbAAN"))
        #expect(SalesforceID.same("003q000000KvQ2D", "003q000000KvQ2DAAV"))
        #expect(!SalesforceID.same("0015500001QdQWa", "0015500001QdQWaAAX"))
        #expect(!SalesforceID.same("001000000000100078", "001000000000100079"))
        #expect(!SalesforceID.same("a", "b"))
    }

    @Test func `Matcher gives back what was asked for`() {
        let ids = ["0015500001QdQWa", "0015500001QdQWaAAN", "x"]
        #expect(SalesforceID.Matcher(ids, field: "id").matches("0015500001QdQWaAAN") == Array(ids.prefix(2)))
        #expect(SalesforceID.Matcher(ids, field: "Ext__c").matches("0015500001QdQWaAAN") == ["0015500001QdQWaAAN"])
    }
}

@Suite struct SOQLIdListTests {
    @Test func `Slices fit into AURL`() {
        let ids = (0..<1000).map { "001" + String(repeating: "0", count: 15 - "\($0)".count) + "\($0)" }
        let slices = SOQLIdList.slices(of: ids)
        #expect(slices.flatMap(\.ids) == ids)
        #expect(slices.count == 4)
        #expect(slices.allSatisfy { URLText.query($0.text).utf8.count <= 6002 })
    }

    @Test func `Texts cannot leave their quotes`() {
        #expect(SOQLIdList.slices(of: ["a', 'b"]).map(\.text) == [#"('a\', \'b')"#])
        #expect(SOQLIdList.slices(of: []) == [])
    }
}

@Suite struct CompositeTests {
    @Test func `Reference IDs are clean and unique`() {
        var taken: Set<String> = []
        let ids = ["local_5", "001x-y.z/ä", "local_5", "", "", "local_5"].map {
            CompositeSubrequest.referenceId(for: $0, taken: &taken)
        }
        #expect(ids == ["local_5", "001x_y_z__", "local_5_2", "ref", "ref_2", "local_5_3"])
    }

    @Test func `Answers of another request are not taken`() throws {
        let asked = [
            CompositeSubrequest(.get, "/a", referenceId: "r1"), CompositeSubrequest(.get, "/b", referenceId: "r2"),
        ]
        func answers(_ references: [String]) -> [CompositeSubanswer]? {
            let items = references.map {
                #"{"body":{"id":"x"},"httpHeaders":{},"httpStatusCode":201,"referenceId":"\#($0)"}"#
            }
            let body = #"{"compositeResponse":[\#(items.joined(separator: ","))]}"#
            return HTTPAnswer(body).subanswers(to: asked)
        }
        #expect(answers(["r1", "r2"])?.map(\.status) == [201, 201])
        #expect(answers(["r2", "r1"]) == nil)
        #expect(answers(["r1"]) == nil)
        #expect(HTTPAnswer("[]").subanswers(to: asked) == nil)
    }
}

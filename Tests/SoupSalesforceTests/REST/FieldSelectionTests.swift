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

    @Test func `Values are copied byte by byte`() throws {
        let record = #"{"Big": 12345678901234567890.10, "Name" : "a\u00e9\n", "List": [1, 2], "Nothing": null}"#
        #expect(
            try members(["Name", "Nothing", "Big", "List", "Missing"], record)
                == [#"Name="a\u00e9\n""#, "Nothing=null", "Big=12345678901234567890.10", "List=[1, 2]"])
    }

    @Test func `A path leads through objects and is sent as written`() throws {
        let record = #"{"Owner": {"Name": "x", "Tags": [{"t": 1}, {"u": 2}, {"t": 3}]}}"#
        #expect(try members(["Owner.Name", "Owner.Tags.t"], record) == [#"Owner.Name="x""#, "Owner.Tags.t=[1,3]"])
    }

    @Test func `IDs, dates and attributes are never sent`() throws {
        let record = #"{"id": 1, "Id": 2, "LastModifiedDate": 3, "attributes": {}, "Name": 4}"#
        let paths = ["Id", "id", "LastModifiedDate", "attributes", "Name", "Name", ""]
        #expect(try members(paths, record, excluding: ["Id", "LastModifiedDate"]) == ["Name=4"])
    }
}

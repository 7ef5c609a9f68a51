// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The common members of every record, in any of the server's spellings: its ID, its name and its object.
public struct SalesforceObject: Sendable, Hashable {
    /// The record's ID; `nil` if it has none.
    public var id: String?
    /// The record's name; `nil` for objects without names.
    public var name: String?
    /// The API name of the record's object.
    ///
    /// For a record of the list of recently viewed records, it is the object of the viewed record.
    public var type: String?
    /// The whole record.
    public var raw: JSONText

    /// Reads a record in the format of queries or in the format of user interface lists.
    ///
    /// Queries return `Id`, `Name` and `attributes.type`; lists return `id`, `name`, and `type` or `Type`. The spelling
    /// of the ID determines the format.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a JSON object.
    public init(_ raw: JSONText) throws {
        let json = try ObjectLayout.object(raw, "record")
        self.raw = raw
        guard let id = json["Id"]?.stringValue, !id.isEmpty else {
            id = json["id"]?.stringValue
            name = json["name"]?.stringValue
            type = json["type"]?.stringValue ?? json["Type"]?.stringValue
            return
        }
        self.id = id
        name = json["Name"]?.stringValue
        let object = json["attributes"]?["type"]?.stringValue
        type = object == nil || object == "RecentlyViewed" ? json["Type"]?.stringValue ?? object : object
    }
}

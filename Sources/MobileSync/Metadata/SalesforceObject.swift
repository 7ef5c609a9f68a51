// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What every record tells of itself, in whichever of the server's spellings: its id, its name and its object.
public struct SalesforceObject: Sendable, Hashable {
    /// The record's id; nil when it has none.
    public var id: String?
    /// The record's name; nil for objects without one.
    public var name: String?
    /// The API name of the record's object.
    ///
    /// Records of the list of recently viewed ones name the object that they are of.
    public var type: String?
    /// The whole record.
    public var raw: JSONText

    /// Reads a record as queries return it (`Id`, `Name`, `attributes.type`) or as lists of the user interface do
    /// (`id`, `name`, `type` or `Type`); which of them it is tells the id.
    ///
    /// - Throws: ``SoupError`` with `json` when it is no JSON object.
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

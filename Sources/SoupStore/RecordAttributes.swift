// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The member `attributes` of a record, whose `type` names the object on the server.
///
/// A sync up reads the object from `attributes.type`, and uses that of its target if there is no text. Records of
/// servers without this convention may store anything in `attributes`.
enum RecordAttributes {
    typealias Members = [(name: String, value: JSONText)]

    /// Returns the attributes of a new record with its type; the other attributes are kept unchanged.
    ///
    /// - Throws: ``SoupError`` with `badAttributes` for a value that cannot have a type, or whose type is not a text.
    static func setting(type: String, on record: Members) throws -> JSONText {
        let given = record.first { $0.name == "attributes" }?.value
        guard let given else { return .object([("type", .string(type))]) }
        let own = given.members
        let known = own?.first { $0.key == "type" }?.value
        guard let own, known.map({ $0.string != nil }) ?? true else {
            throw bad(known ?? given, at: known == nil ? "attributes" : "attributes.type", type: type)
        }
        let others = own.filter { $0.key != "type" }.map { (name: $0.key, value: $0.value) }
        return .object([("type", .string(type))] + others)
    }

    /// Checks that an edit keeps the type of an entry, or sets another one.
    ///
    /// - Throws: ``SoupError`` with `badAttributes`.
    static func check(_ members: Members, editing entry: SoupEntry) throws {
        guard let given = members.first(where: { $0.name == "attributes" })?.value,
            let type = entry["attributes.type"]?.stringValue, !type.isEmpty
        else { return }
        guard let known = given.members?.first(where: { $0.key == "type" })?.value else {
            throw bad(given, at: "attributes", type: type)
        }
        guard known.string?.isEmpty == false else { throw bad(known, at: "attributes.type", type: type) }
    }

    private static func bad(_ value: JSONText, at path: String, type: String) -> SoupError {
        let text = value.description
        let shown = text.count <= 40 ? text : String(text.prefix(40)) + "…"
        return SoupError(
            .badAttributes, "\(path) must name the object of the record in \"type\", but it is \(shown)",
            place: SoupError.Place(path: path),
            hint: "Write {\"type\": \(JSONText.string(type))}, or omit attributes: a sync up cannot send a "
                + "record whose attributes have no type.")
    }
}

extension SoupError.Code {
    /// The record's `attributes` have no type with which a sync up can determine the object.
    public static let badAttributes: Self = "badAttributes"
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// One object of a briefcase, and the soup for its records.
public struct BriefcaseObjectInfo: Decodable, Sendable, Hashable {
    /// The soup of the records, regardless of the soup that the sync names.
    public var soupName: String
    /// The object on the server, such as `Account`.
    public var sobjectType: String
    /// The fields to fetch; the ID and the modification date are added if they are missing.
    public var fieldlist: [String]
    /// The field by which records are matched with entries; the soup needs an index on it.
    public var idFieldName: String
    /// The field with the time of a record's last change.
    public var modificationDateFieldName: String

    /// Creates an info; the target checks its names.
    public init(
        soupName: String, sobjectType: String, fieldlist: [String], idFieldName: String = "Id",
        modificationDateFieldName: String = "LastModifiedDate"
    ) {
        self.soupName = soupName
        self.sobjectType = sobjectType
        self.fieldlist = fieldlist
        self.idFieldName = idFieldName
        self.modificationDateFieldName = modificationDateFieldName
    }

    private enum CodingKeys: String, CodingKey {
        case soupName
        case sobjectType
        case fieldlist
    }

    /// Reads the required keys `sobjectType`, `soupName` and `fieldlist`, and the keys of `RecordFieldNames`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let names = try RecordFieldNames(from: decoder)
        self.init(
            soupName: try container.decode(String.self, forKey: .soupName),
            sobjectType: try container.decode(String.self, forKey: .sobjectType),
            fieldlist: try container.decode([String].self, forKey: .fieldlist), idFieldName: names.id,
            modificationDateFieldName: names.modificationDate)
    }

    /// The object that ``init(from:)`` reads.
    var json: JSONValue {
        [
            "soupName": .string(soupName), "sobjectType": .string(sobjectType),
            "fieldlist": .array(fieldlist.map { .string($0) }), "idFieldName": .string(idFieldName),
            "modificationDateFieldName": .string(modificationDateFieldName),
        ]
    }

    /// The fields to request.
    var fields: [String] { fieldlist.completed(with: [idFieldName, modificationDateFieldName]) }

    /// Whether the soup identifies records by the IDs that a briefcase lists.
    var isIdentifiedById: Bool { idFieldName.lowercased() == "id" }

    var level: RecordLayout.Level {
        RecordLayout.Level(
            soup: SoupName(soupName), idField: idFieldName, modificationDateField: modificationDateFieldName)
    }

    /// Records the problems of the info.
    ///
    /// - Parameter path: the place of the info in the target object.
    func check(at path: String, in faults: inout ConfigurationFaults) {
        if soupName.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the soup has no name", place: SoupError.Place(path: "\(path).soupName"),
                    hint: "Add the name of the soup for the \(sobjectType) records."))
        }
        let names = RecordFieldNames(id: idFieldName, modificationDate: modificationDateFieldName)
        SOQLCheck.fields(
            fieldlist, of: sobjectType, names, at: "\(path).fieldlist", under: "\(path).", in: &faults)
    }
}

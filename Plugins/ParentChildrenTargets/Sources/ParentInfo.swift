// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// One level of a record tree: an object on the server, and the soup with its records.
public struct ParentInfo: Decodable, Sendable, Hashable {
    /// The object on the server, such as `Account`.
    public var sobjectType: String
    /// The soup of its records, regardless of the soup that the sync names.
    public var soupName: String
    /// The field with the server's ID, which needs an index in the soup.
    public var idFieldName: String
    /// The field with the time of a record's last change on the server, ISO 8601.
    public var modificationDateFieldName: String
    /// The field by which the server finds an existing record; for sync ups.
    public var externalIdFieldName: String?
    /// The field for a random key of each created record, by which a creation without a response is looked up; for sync
    /// ups.
    public var clientKeyFieldName: String?

    /// Creates an info; the object's name is checked when a target is created from it.
    public init(
        sobjectType: String, soupName: String, idFieldName: String = "Id",
        modificationDateFieldName: String = "LastModifiedDate", externalIdFieldName: String? = nil,
        clientKeyFieldName: String? = nil
    ) {
        self.sobjectType = sobjectType
        self.soupName = soupName
        self.idFieldName = idFieldName
        self.modificationDateFieldName = modificationDateFieldName
        self.externalIdFieldName = externalIdFieldName
        self.clientKeyFieldName = clientKeyFieldName
    }

    private enum CodingKeys: String, CodingKey {
        case sobjectType
        case soupName
        case externalIdFieldName
        case clientKeyFieldName
    }

    /// Reads `sobjectType`, `soupName`, `externalIdFieldName`, `clientKeyFieldName` and the keys of
    /// `RecordFieldNames`.
    ///
    /// The first two are required. An empty name counts as none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let names = try RecordFieldNames(from: decoder)
        func name(_ key: CodingKeys) throws -> String? {
            try container.decodeIfPresent(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
        }
        self.init(
            sobjectType: try container.decode(String.self, forKey: .sobjectType),
            soupName: try container.decode(String.self, forKey: .soupName), idFieldName: names.id,
            modificationDateFieldName: names.modificationDate,
            externalIdFieldName: try name(.externalIdFieldName),
            clientKeyFieldName: try name(.clientKeyFieldName))
    }

    var names: RecordFieldNames { RecordFieldNames(id: idFieldName, modificationDate: modificationDateFieldName) }

    /// The members of the object that ``init(from:)`` reads.
    var json: JSONObject {
        var json: JSONObject = [
            "sobjectType": .string(sobjectType), "soupName": .string(soupName), "idFieldName": .string(idFieldName),
            "modificationDateFieldName": .string(modificationDateFieldName),
        ]
        json["externalIdFieldName"] = externalIdFieldName.map { .string($0) }
        json["clientKeyFieldName"] = clientKeyFieldName.map { .string($0) }
        return json
    }
}

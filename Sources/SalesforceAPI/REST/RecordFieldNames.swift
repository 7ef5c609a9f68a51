// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The names of a record's id and modification date, as target objects give them.
///
/// Keys: `idFieldName` (default `Id`) and `modificationDateFieldName` (default `LastModifiedDate`); an empty text means
/// the default.
public struct RecordFieldNames: Decodable, Sendable, Hashable {
    /// The field with the server's id.
    public var id: String
    /// The field with the time of a record's last change on the server.
    public var modificationDate: String

    /// Takes the names as they are, empty ones too.
    public init(id: String = "Id", modificationDate: String = "LastModifiedDate") {
        self.id = id
        self.modificationDate = modificationDate
    }

    private enum CodingKeys: String, CodingKey {
        case idFieldName
        case modificationDateFieldName
    }

    /// Reads the two keys of whatever object the decoder is at, and leaves its other keys alone.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        if let name = try container.decodeIfPresent(String.self, forKey: .idFieldName), !name.isEmpty { id = name }
        if let name = try container.decodeIfPresent(String.self, forKey: .modificationDateFieldName), !name.isEmpty {
            modificationDate = name
        }
    }
}

extension [String] {
    /// The list with the fields that it lacks at its end; case does not count.
    public func completed(with fields: [String]) -> [String] {
        fields.reduce(into: self) { list, field in
            if !list.contains(where: { $0.lowercased() == field.lowercased() }) { list.append(field) }
        }
    }
}

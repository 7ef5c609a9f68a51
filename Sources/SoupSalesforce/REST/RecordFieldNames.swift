// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The field names of a record's ID and modification date, as target objects define them.
///
/// Keys: `idFieldName` (default `Id`) and `modificationDateFieldName` (default `LastModifiedDate`); an empty text means
/// the default.
package struct RecordFieldNames: Decodable, Sendable, Hashable {
    /// The field with the server's ID.
    package var id: String
    /// The field with the time of a record's last change on the server.
    package var modificationDate: String

    /// Uses the names unchanged, including empty ones.
    package init(id: String = "Id", modificationDate: String = "LastModifiedDate") {
        self.id = id
        self.modificationDate = modificationDate
    }

    /// A field with the time of a record's last change.
    package enum DateField: Sendable {
        /// The configured field.
        case modification
        /// `SystemModstamp` instead of the standard field `LastModifiedDate`.
        ///
        /// The server also sets it for changes that no user made, for example when a record is undeleted or its parent
        /// is deleted. It is never earlier.
        case anyChange
    }

    /// Returns the name of a field with the time of the last change.
    package func name(of field: DateField) -> String {
        switch field {
        case .anyChange where modificationDate.lowercased() == "lastmodifieddate": Self.systemDate
        case .anyChange, .modification: modificationDate
        }
    }

    static let systemDate = "SystemModstamp"

    private enum CodingKeys: String, CodingKey {
        case idFieldName
        case modificationDateFieldName
    }

    /// Reads the two keys of the current object, and ignores its other keys.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        if let name = try container.decodeIfPresent(String.self, forKey: .idFieldName), !name.isEmpty { id = name }
        if let name = try container.decodeIfPresent(String.self, forKey: .modificationDateFieldName), !name.isEmpty {
            modificationDate = name
        }
    }
}

extension [String] {
    /// Returns the list with the missing fields appended; case is ignored.
    package func completed(with fields: [String]) -> [String] {
        fields.reduce(into: self) { list, field in
            if !list.contains(where: { $0.lowercased() == field.lowercased() }) { list.append(field) }
        }
    }
}

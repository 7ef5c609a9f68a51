// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

extension RefreshSyncDownTarget {
    /// The target object of a `refresh` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The soup whose ids are read; the records go to the soup of the sync, which mostly is the same.
        public var soupName: String
        /// The object that the ids are of.
        public var sobjectType: String
        /// The fields to bring; the id and the modification date are added when they are missing.
        public var fieldlist: [String]
        /// The most ids of a query, from 1 to 500; fewer go in when the URL would become too long.
        public var countIdsPerSoql: Int
        /// The field with the server's id, in the soup and on the server.
        public var idFieldName: String
        /// The field that later runs are filtered by.
        public var modificationDateFieldName: String

        /// Makes a configuration, its number of ids kept between 1 and 500; names are checked by the target.
        public init(
            soupName: String, sobjectType: String, fieldlist: [String], countIdsPerSoql: Int = 500,
            idFieldName: String = "Id", modificationDateFieldName: String = "LastModifiedDate"
        ) {
            self.soupName = soupName
            self.sobjectType = sobjectType
            self.fieldlist = fieldlist
            self.countIdsPerSoql = min(max(countIdsPerSoql, 1), 500)
            self.idFieldName = idFieldName
            self.modificationDateFieldName = modificationDateFieldName
        }

        private enum CodingKeys: String, CodingKey {
            case soupName
            case sobjectType
            case fieldlist
            case countIdsPerSoql
            /// As the iOS SDK spells it.
            case coundIdsPerSoql
        }

        /// Reads `soupName`, `sobjectType` and `fieldlist`, which must be there, `countIdsPerSoql` or else
        /// `coundIdsPerSoql`, and the keys of ``RecordFieldNames``.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let names = try RecordFieldNames(from: decoder)
            let misspelled = try container.decodeIfPresent(Int.self, forKey: .coundIdsPerSoql)
            self.init(
                soupName: try container.decode(String.self, forKey: .soupName),
                sobjectType: try container.decode(String.self, forKey: .sobjectType),
                fieldlist: try container.decode([String].self, forKey: .fieldlist),
                countIdsPerSoql: try container.decodeIfPresent(Int.self, forKey: .countIdsPerSoql) ?? misspelled
                    ?? 500,
                idFieldName: names.id, modificationDateFieldName: names.modificationDate)
        }
    }
}

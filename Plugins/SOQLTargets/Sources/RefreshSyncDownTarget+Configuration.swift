// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

extension RefreshSyncDownTarget {
    /// The target object of a `refresh` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The soup whose IDs are read; the records are saved in the soup of the sync, which is usually the same.
        public var soupName: String
        /// The object of the IDs.
        public var sobjectType: String
        /// The fields to fetch; the ID and the modification date are added if they are missing.
        public var fieldlist: [String]
        /// The maximum number of IDs in a query, from 1 to 500; fewer are used if the URL would become too long.
        public var countIdsPerSoql: Int
        /// The field with the server's ID, in the soup and on the server.
        public var idFieldName: String
        /// The field by which later runs are filtered.
        public var modificationDateFieldName: String
        /// The time before the high-water mark from which later runs fetch changes again; see `SyncDownTarget`.
        public var lookback: Duration
        /// The way to find records that were deleted on the server; nil for the setting of the app.
        public var deletes: DeleteMode?

        /// Creates a configuration with its number of IDs clamped to 1...500; the target checks the names.
        public init(
            soupName: String, sobjectType: String, fieldlist: [String], countIdsPerSoql: Int = 500,
            idFieldName: String = "Id", modificationDateFieldName: String = "LastModifiedDate",
            lookback: Duration = .seconds(600), deletes: DeleteMode? = nil
        ) {
            self.soupName = soupName
            self.sobjectType = sobjectType
            self.fieldlist = fieldlist
            self.countIdsPerSoql = min(max(countIdsPerSoql, 1), 500)
            self.idFieldName = idFieldName
            self.modificationDateFieldName = modificationDateFieldName
            self.lookback = lookback
            self.deletes = deletes
        }

        private enum CodingKeys: String, CodingKey {
            case soupName
            case sobjectType
            case fieldlist
            case countIdsPerSoql
            case deletes
            /// The spelling of the iOS SDK.
            case coundIdsPerSoql
        }

        /// Reads `soupName`, `sobjectType` and `fieldlist`, which are required, `countIdsPerSoql` or else
        /// `coundIdsPerSoql`, `lookback` in seconds, `deletes`, and the keys of
        /// `RecordFieldNames`.
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
                idFieldName: names.id, modificationDateFieldName: names.modificationDate,
                lookback: try Lookback(from: decoder).duration,
                deletes: try container.decodeIfPresent(DeleteMode.self, forKey: .deletes))
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Fetches the metadata of an object, its describe, as one record whose ID is the name of the object.
///
/// Every run fetches it again.
public struct MetadataSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `metadata`.
    public static let name: PluginName = "metadata"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("MetadataSyncDownTarget")
    /// The metadata of accounts, for `soup targets metadata --sample`.
    public static let sample = try? JSONText(#"{"type": "metadata", "sobjectType": "Account"}"#)

    /// The target object of a `metadata` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The object to describe, such as `Account`.
        public var sobjectType: String
        /// The field for the name of the object, which is the record's ID.
        public var idFieldName: String

        /// Creates a configuration; the target checks the name.
        public init(sobjectType: String, idFieldName: String = "Id") {
            self.sobjectType = sobjectType
            self.idFieldName = idFieldName
        }

        private enum CodingKeys: String, CodingKey { case sobjectType }

        /// Reads `sobjectType`, which is required, and `idFieldName`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                sobjectType: try container.decode(String.self, forKey: .sobjectType),
                idFieldName: try RecordFieldNames(from: decoder).id)
        }
    }

    /// The field for the generated ID: ``Configuration/idFieldName``.
    public let idField: String
    private let type: String

    /// - Throws: ``SoupError`` with the place `sobjectType` if that is not a valid object name.
    public init(configuration: Configuration) throws {
        type = configuration.sobjectType
        idField = configuration.idFieldName
        try SOQLCheck.object(type, at: "sobjectType")
    }

    /// Fetches the metadata, as one record on one page; the high-water mark is ignored.
    ///
    /// - Throws: ``SoupError``: `server`, `objectNotFound`, `network`, `json`; `cursorExpired` for any cursor.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        try await SalesforceClient(context).description(
            at: "/sobjects/\(URLText.segment(type))/describe", after: cursor, as: type, in: idField,
            of: "the metadata of \(type)", list: "fields", name: ("name", type))
    }

    /// Returns the target's own ID, without a request: its record is never a ghost.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        Set(ids.filter { $0 == type })
    }
}

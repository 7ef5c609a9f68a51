// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SalesforceAPI
public import SoupCore

/// Brings the records of one object that the user looked at last.
///
/// Every run asks for the list anew and brings all of it: a record enters the list without being changed.
public struct MRUSyncDownTarget: SyncDownTarget {
    public static let name: PluginName = "mru"
    public static let aliases: [PluginName] = [
        "SFMruSyncDownTarget", "com.salesforce.androidsdk.mobilesync.target.MruSyncDownTarget",
    ]
    public static let sample = try? JSONText(
        #"{"type": "mru", "sobjectType": "Account", "fieldlist": ["Name", "Description"]}"#)

    /// The target object of an `mru` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        public var sobjectType: String
        /// The fields to bring; the id and the modification date are added when they are missing.
        public var fieldlist: [String]
        public var idFieldName: String
        public var modificationDateFieldName: String

        public init(
            sobjectType: String, fieldlist: [String], idFieldName: String = "Id",
            modificationDateFieldName: String = "LastModifiedDate"
        ) {
            self.sobjectType = sobjectType
            self.fieldlist = fieldlist
            self.idFieldName = idFieldName
            self.modificationDateFieldName = modificationDateFieldName
        }

        private enum CodingKeys: String, CodingKey {
            case sobjectType
            case fieldlist
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let names = try RecordFieldNames(from: decoder)
            self.init(
                sobjectType: try container.decode(String.self, forKey: .sobjectType),
                fieldlist: try container.decode([String].self, forKey: .fieldlist), idFieldName: names.id,
                modificationDateFieldName: names.modificationDate)
        }
    }

    public let idField: String
    public let modificationDateField: String
    private let type: String
    private let select: String

    /// - Throws: ``SoupError`` with the place `sobjectType` or `fieldlist` when they do not make a query.
    public init(configuration: Configuration) throws {
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        type = configuration.sobjectType
        let fields = configuration.fieldlist.completed(with: [idField, modificationDateField])
        select = "select \(fields.joined(separator: ", ")) from \(type)"
        try SOQLCheck.object(type, at: "sobjectType")
        try SOQLCheck.query(select, at: "fieldlist")
    }

    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        var soql = ""
        if cursor == nil {
            let recent = try await recentItems(in: context)
            guard let first = recent.ids.first, !first.isEmpty else {
                return Page(.empty, totalSize: 0, serverTime: recent.serverTime)
            }
            soql = "\(select) where \(recent.field) IN \(SOQLLiteral.list(recent.ids))"
        }
        let (answer, head) = try await context.queryPage(
            after: cursor, of: soql, batchSize: SyncContext.usualBatchSize)
        let scan = try QueryPageScan(answer)
        return scan.page([scan.batch()], answer: answer, head: head)
    }

    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        try await context.existing(ids, of: type, idField: idField)
    }

    /// The ids that the server lists, and the field that they are ids of.
    private func recentItems(
        in context: SyncContext
    ) async throws -> (ids: [String], field: String, serverTime: Int64?) {
        let answer = try await context.send(.get, "\(context.apiPath)/sobjects/\(URLText.segment(type))")
        guard answer.isSuccess else { throw answer.salesforceFailure(of: "the list of recent \(type) records") }
        let scan = try QueryPageScan(answer, recordsAt: "recentItems", projecting: [JSONPath(idField), "Id"])
        let own = (0..<scan.count).compactMap { scan.text(of: 0, in: $0) }
        if own.count == scan.count { return (own, idField, answer.serverTime) }
        return ((0..<scan.count).compactMap { scan.text(of: 1, in: $0) }, "Id", answer.serverTime)
    }
}

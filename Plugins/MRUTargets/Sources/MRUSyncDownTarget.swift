// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Fetches the records of one object that the user viewed most recently.
///
/// Every run requests the list again and fetches all of its records, because a record can enter the list without a
/// change.
public struct MRUSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `mru`.
    public static let name: PluginName = "mru"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("MruSyncDownTarget")
    /// A sync of the accounts that were viewed most recently, for `soup targets mru --sample`.
    public static let sample = try? JSONText(
        #"{"type": "mru", "sobjectType": "Account", "fieldlist": ["Name", "Description"]}"#)

    /// The target object of an `mru` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The object whose recent records are fetched, such as `Account`.
        public var sobjectType: String
        /// The fields to fetch; the ID and the modification date are added if they are missing.
        public var fieldlist: [String]
        /// The field with the server's ID; the records of the list are queried by it.
        public var idFieldName: String
        /// The field with the time of a record's last change, which is also fetched.
        public var modificationDateFieldName: String

        /// Creates a configuration without checking its names: the target's initializer checks them.
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

        /// Reads the required keys `sobjectType` and `fieldlist`, and the optional keys of `RecordFieldNames`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let names = try RecordFieldNames(from: decoder)
            self.init(
                sobjectType: try container.decode(String.self, forKey: .sobjectType),
                fieldlist: try container.decode([String].self, forKey: .fieldlist), idFieldName: names.id,
                modificationDateFieldName: names.modificationDate)
        }
    }

    /// The field that entries are matched by: ``Configuration/idFieldName``.
    public let idField: String
    /// ``Configuration/modificationDateFieldName``; the target compares no dates, and fetches every listed record.
    public let modificationDateField: String
    private let type: String
    private let select: String
    private let fieldlist: [String]

    /// - Throws: ``SoupError`` with the place of the invalid key; `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        type = configuration.sobjectType
        fieldlist = configuration.fieldlist
        let fields = configuration.fieldlist.completed(with: [idField, modificationDateField])
        select = "select \(fields.joined(separator: ", ")) from \(type)"
        var faults = ConfigurationFaults()
        let names = RecordFieldNames(id: idField, modificationDate: modificationDateField)
        SOQLCheck.fields(configuration.fieldlist, of: type, names, at: "fieldlist", in: &faults)
        try faults.finish()
    }

    /// Returns a warning if the field list is empty.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.pull(fieldlist, at: "fieldlist")
    }

    /// Returns the field list.
    public func fetchedFields(level: Int) -> [FetchedFields] { [FetchedFields(of: type, fieldlist, at: "fieldlist")] }

    /// Fetches the records of the user's list with one query; a cursor continues that query.
    ///
    /// Before the first page the target requests the list; an empty list returns an empty page. The high-water mark is
    /// ignored.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a cursor that the server no longer
    ///   knows.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        var soql = ""
        if cursor == nil {
            let recent = try await recentItems(in: context)
            guard !recent.ids.isEmpty else {
                return RecordPage(.empty, totalSize: 0, serverTime: recent.serverTime)
            }
            soql = "\(select) where \(recent.field) IN \(SOQLLiteral.list(recent.ids))"
        }
        let (answer, head) = try await SalesforceClient(context).queryPage(after: cursor, of: soql)
        return try UnreadPage(query: answer, head: head).read()
    }

    /// Returns the given IDs whose records the server still has, whether they are on the user's list or not.
    ///
    /// Never returns nil; `level` is ignored, because there is only one.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        try await SalesforceClient(context).existing(ids, of: type, idField: idField)
    }

    /// Returns the given IDs whose records the server still has; nil if the type is not the target's object, or if the
    /// ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        try await SalesforceClient(context).existing(ids, type: type, of: self.type, idField: idField)
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// Fetches the IDs that the server lists, and the field that they belong to.
    private func recentItems(
        in context: SyncContext
    ) async throws -> (ids: [String], field: String, serverTime: Date?) {
        let client = SalesforceClient(context)
        let answer = try await client.send(.get, "\(client.apiPath)/sobjects/\(URLText.segment(type))")
        guard answer.isOK else { throw answer.salesforceFailure(of: "the list of recent \(type) records") }
        let what = "the request for recent \(type) records"
        let scan = try QueryPageScan(
            listIn: answer, at: "recentItems", of: what, projecting: [JSONPath(idField), "Id"])
        let own = (0..<scan.count).compactMap { scan.text(of: 0, in: $0) }
        if own.count == scan.count { return (own, idField, answer.serverTime) }
        return (try (0..<scan.count).map { try scan.id(at: 1, "Id", in: $0) }, "Id", answer.serverTime)
    }
}

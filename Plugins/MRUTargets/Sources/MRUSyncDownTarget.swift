// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SalesforceAPI
public import SoupCore

/// Brings the records of one object that the user looked at last.
///
/// Every run asks for the list anew and brings all of it: a record enters the list without being changed.
public struct MRUSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `mru`.
    public static let name: PluginName = "mru"
    /// The class names that `usersyncs.json` files of the iOS and the Android SDK use for it.
    public static let aliases = PluginName.mobileSDKClass("MruSyncDownTarget")
    /// A sync of the accounts that were looked at last, for `soup targets mru --sample`.
    public static let sample = try? JSONText(
        #"{"type": "mru", "sobjectType": "Account", "fieldlist": ["Name", "Description"]}"#)

    /// The target object of an `mru` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The object whose recent records are asked for, such as `Account`.
        public var sobjectType: String
        /// The fields to bring; the id and the modification date are added when they are missing.
        public var fieldlist: [String]
        /// The field with the server's id; the records of the list are looked up by it.
        public var idFieldName: String
        /// The field with the time of a record's last change, which is fetched with the others.
        public var modificationDateFieldName: String

        /// Makes a configuration without a look at its names: the target's initialiser checks them.
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

        /// Reads `sobjectType` and `fieldlist`, which must be there, and the optional keys of ``RecordFieldNames``.
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
    /// ``Configuration/modificationDateFieldName``; the target compares no dates, and brings every listed record.
    public let modificationDateField: String
    private let type: String
    private let select: String
    private let fieldlist: [String]

    /// - Throws: ``SoupError`` with the place of what makes no query; `ConfigurationError` when that is more than one.
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

    /// A field list that is empty.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        FieldListCheck.pull(fieldlist, at: "fieldlist")
    }

    /// The field list.
    public func broughtFields(part: Int) -> [BroughtFields] { [BroughtFields(of: type, fieldlist, at: "fieldlist")] }

    /// The records on the user's list, looked up by one query; a cursor leads on in that query.
    ///
    /// The first page asks for the list before; an empty list makes an empty page. The high-water mark plays no part.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a cursor that the server no longer
    ///   knows.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        var soql = ""
        if cursor == nil {
            let recent = try await recentItems(in: context)
            guard !recent.ids.isEmpty else {
                return Page(.empty, totalSize: 0, serverTime: recent.serverTime)
            }
            soql = "\(select) where \(recent.field) IN \(SOQLLiteral.list(recent.ids))"
        }
        let (answer, head) = try await context.queryPage(
            after: cursor, of: soql, batchSize: SyncContext.usualBatchSize, announcing: context.announceNext)
        return try UnreadPage(query: answer, head: head).read()
    }

    /// Those of the ids whose records the server still has, be they on the user's list or not.
    ///
    /// Never nil; `part` does not count, for there is but one.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        try await context.existing(ids, of: type, idField: idField)
    }

    /// Whether a text has the form of an ID, if that is the field by which records are known.
    public func isPossibleId(_ id: String, part: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// The ids that the server lists, and the field that they are ids of.
    private func recentItems(
        in context: SyncContext
    ) async throws -> (ids: [String], field: String, serverTime: Int64?) {
        let answer = try await context.send(.get, "\(context.apiPath)/sobjects/\(URLText.segment(type))")
        guard answer.isOK else { throw answer.salesforceFailure(of: "the list of recent \(type) records") }
        let what = "the request for recent \(type) records"
        let scan = try QueryPageScan(
            listIn: answer, at: "recentItems", of: what, projecting: [JSONPath(idField), "Id"])
        let own = (0..<scan.count).compactMap { scan.text(of: 0, in: $0) }
        if own.count == scan.count { return (own, idField, answer.serverTime) }
        return (try (0..<scan.count).map { try scan.id(at: 1, "Id", in: $0) }, "Id", answer.serverTime)
    }
}

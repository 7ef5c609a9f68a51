// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Fetches the records that a full-text search finds.
///
/// Every run searches again and fetches all results, because a record can start to match without a change, and a search
/// has no pages.
public struct SOSLSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `sosl`.
    public static let name: PluginName = "sosl"
    /// The names of the mobile SDKs for a sync down by search.
    public static let aliases = PluginName.mobileSDKClass("SoslSyncDownTarget")
    /// A search for accounts by name, for `soup targets sosl --sample`.
    public static let sample = try? JSONText(
        #"{"type": "sosl", "query": "FIND {Acme} IN NAME FIELDS RETURNING Account(Name, Phone)"}"#)

    /// The target object of a `sosl` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The search, `FIND {…}` and so on.
        public var query: String
        /// Whether the ID and the modification date may be added to the fields of each returned object.
        public var rewrite: Bool
        /// The field with the server's ID.
        public var idFieldName: String
        /// The field with the time of a record's last change.
        public var modificationDateFieldName: String

        /// Creates a configuration; the target parses the search.
        public init(
            query: String, rewrite: Bool = true, idFieldName: String = "Id",
            modificationDateFieldName: String = "LastModifiedDate"
        ) {
            self.query = query
            self.rewrite = rewrite
            self.idFieldName = idFieldName
            self.modificationDateFieldName = modificationDateFieldName
        }

        private enum CodingKeys: String, CodingKey {
            case query
            case rewrite
        }

        /// Reads `query`, which is required, `rewrite` and the keys of `RecordFieldNames`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let names = try RecordFieldNames(from: decoder)
            self.init(
                query: try container.decode(String.self, forKey: .query),
                rewrite: try container.decodeIfPresent(Bool.self, forKey: .rewrite) ?? true, idFieldName: names.id,
                modificationDateFieldName: names.modificationDate)
        }
    }

    /// ``Configuration/idFieldName``, the only field by which entries are matched.
    public let idField: String
    /// ``Configuration/modificationDateFieldName``; the target does not filter by date.
    public let modificationDateField: String
    /// The search as it is sent.
    private let search: SOSLRewriter

    /// - Throws: ``SoupError`` with the place `query` if the search cannot be parsed, or with the place of an invalid
    ///   name; `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        idField = configuration.idFieldName
        modificationDateField = configuration.modificationDateFieldName
        var faults = ConfigurationFaults()
        faults.check { try SOQLCheck.field(configuration.idFieldName, at: "idFieldName") }
        faults.check { try SOQLCheck.field(configuration.modificationDateFieldName, at: "modificationDateFieldName") }
        let given = faults.check { try Self.search(configuration.query) }
        let search = try faults.finish(returning: given)
        self.search = configuration.rewrite ? search.selecting([idField, modificationDateField]) : search
    }

    /// Parses the search; an error has the place `query`.
    private static func search(_ query: String) throws -> SOSLRewriter {
        do {
            return try SOSLRewriter(query)
        } catch var error as SoupError {
            error.place = error.place ?? SoupError.Place()
            error.place?.path = "query"
            throw error
        }
    }

    /// Returns a warning for a search that must be sent unchanged, without the modification date of an object.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        let problems = search.search.returning.flatMap {
            FieldListCheck.unchanged(selecting: $0.rowFields, date: modificationDateField)
        }
        // Each object has the same one, at the same place.
        return Array(problems.prefix(1))
    }

    /// Returns the fields of each object that the search returns; none if the search names no objects.
    public func fetchedFields(level: Int) -> [FetchedFields] {
        search.search.returning.compactMap { object in
            object.rowFields.map {
                FetchedFields(of: object.name, $0, aliases: object.rowAliases, isWhole: true, at: "query")
            }
        }
    }

    /// Fetches all results as one page; the high-water mark is ignored.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for any cursor, because the target returns
    ///   none.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        guard cursor == nil else { throw SoupError(.cursorExpired, "a search has no further pages") }
        let answer = try await SalesforceClient(context).search(search.text)
        let scan = try QueryPageScan(listIn: answer, at: "searchRecords", of: "the search")
        return RecordPage(scan.batch(), totalSize: scan.count, serverTime: answer.serverTime)
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool { SalesforceID.isPossible(id, in: idField) }

    /// Returns the given IDs that the same search still finds.
    ///
    /// If the search reaches a limit, other records may still match beyond it. They survive as long as the server has
    /// them; if the search does not name its objects, all of them survive.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        guard !ids.isEmpty else { return [] }
        let answer = try await SalesforceClient(context).search(search.text)
        let scan = try QueryPageScan(
            listIn: answer, at: "searchRecords", of: "the search", projecting: [JSONPath(idField)])
        let wanted = SalesforceID.Matcher(ids, field: idField)
        var survivors: Set<String> = []
        for record in 0..<scan.count {
            survivors.formUnion(wanted.matches(try scan.id(at: 0, idField, in: record)))
        }
        guard search.mayBeCut(at: scan.count) else { return survivors }
        let objects = search.search.returning.map(\.name)
        guard !objects.isEmpty else { return Set(ids) }
        for object in objects {
            let open = ids.filter { !survivors.contains($0) }
            survivors.formUnion(try await SalesforceClient(context).existing(open, of: object, idField: idField))
        }
        return survivors
    }

    /// Returns the given IDs whose records the server still has; nil if the search does not return records of the type,
    /// or if the ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        guard
            let object = search.search.returning.map(\.name).first(where: { $0.lowercased() == type.lowercased() })
        else { return nil }
        return try await SalesforceClient(context).existing(ids, type: type, of: object, idField: idField)
    }
}

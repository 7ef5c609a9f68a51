// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Fetches the records that the org's administrator assigned to the user's briefcase: several objects, each into its
/// own soup.
///
/// The server lists IDs, page by page; the records are fetched by ID, in slices that can span several objects. A later
/// run requests the IDs of records that changed since.
public struct BriefcaseSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `briefcase`.
    public static let name: PluginName = "briefcase"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("BriefcaseSyncDownTarget")
    /// A briefcase of accounts and contacts, for `soup targets briefcase --sample`.
    public static let sample = try? JSONText(
        #"""
        {"type": "briefcase", "infos": [
          {"soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name", "Description"]},
          {"soupName": "contacts", "sobjectType": "Contact", "fieldlist": ["FirstName", "LastName"]}
        ]}
        """#)

    /// The target object of a `briefcase` sync.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The objects to fetch; other objects of the briefcase are ignored.
        public var infos: [BriefcaseObjectInfo]
        /// The number of IDs per page, from 1 to 2000.
        public var countIdsPerRetrieve: Int
        /// The time before the high-water mark from which later runs fetch changes again; see `SyncDownTarget`.
        public var lookback: Duration
        /// The way to find records that were deleted on the server; nil for the setting of the app.
        public var deletes: DeleteMode?

        /// Creates a configuration with its number of IDs clamped to 1...2000; the target checks the infos.
        public init(
            infos: [BriefcaseObjectInfo], countIdsPerRetrieve: Int = 2000, lookback: Duration = .seconds(600),
            deletes: DeleteMode? = nil
        ) {
            self.infos = infos
            self.lookback = lookback
            self.deletes = deletes
            self.countIdsPerRetrieve = min(max(countIdsPerRetrieve, 1), SalesforceClient.maximumRetrieve)
        }

        private enum CodingKeys: String, CodingKey {
            case infos
            case countIdsPerRetrieve
            case deletes
        }

        /// Reads the required key `infos`, `countIdsPerRetrieve`, `lookback` in seconds, and `deletes`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                infos: try container.decode([BriefcaseObjectInfo].self, forKey: .infos),
                countIdsPerRetrieve: try container.decodeIfPresent(Int.self, forKey: .countIdsPerRetrieve) ?? 2000,
                lookback: try Lookback(from: decoder).duration,
                deletes: try container.decodeIfPresent(DeleteMode.self, forKey: .deletes))
        }

        /// The equivalent target object, for a ``SyncDefinition``.
        public var target: TargetReference {
            var json: JSONObject = [
                "type": "briefcase", "infos": .array(infos.map(\.json)),
                "countIdsPerRetrieve": .int(Int64(countIdsPerRetrieve)),
            ]
            if lookback != Lookback.standard { json["lookback"] = Lookback.json(lookback) }
            json["deletes"] = deletes.map { .string($0.rawValue) }
            return TargetReference(.object(json))
        }
    }

    /// One level for each info, in their order: its soup, its ID field and its date field; no level is a child of
    /// another.
    public let layout: RecordLayout?
    /// The ID field of the first info; each info has its own.
    public let idField: String
    /// The date field of the first info; each info has its own.
    public let modificationDateField: String
    let infos: [BriefcaseObjectInfo]
    private let countIds: Int
    /// The key `lookback`.
    public let lookback: Duration
    let deletes: DeleteMode?

    /// - Throws: ``SoupError`` with the place of the invalid info: if there are no infos, a name is invalid, or two
    ///   infos have the same object; `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        infos = configuration.infos
        countIds = configuration.countIdsPerRetrieve
        lookback = configuration.lookback
        deletes = configuration.deletes
        guard let first = infos.first else {
            throw SoupError(
                .badConfiguration, "there is no object to fetch", place: SoupError.Place(path: "infos"),
                hint: "Add an object with \"soupName\", \"sobjectType\" and \"fieldlist\".")
        }
        var known: Set<String> = []
        var faults = ConfigurationFaults()
        for (position, info) in infos.enumerated() {
            info.check(at: "infos[\(position)]", in: &faults)
            let names = RecordFieldNames(id: info.idFieldName, modificationDate: info.modificationDateFieldName)
            if faults.errors.isEmpty, let problem = names.problem(with: configuration.deletes) { faults.add(problem) }
            if !info.sobjectType.isEmpty, !known.insert(info.sobjectType.lowercased()).inserted {
                faults.add(
                    SoupError(
                        .badConfiguration, "another info has the same object, \(info.sobjectType)",
                        place: SoupError.Place(path: "infos[\(position)].sobjectType"),
                        hint: "Use each object in one info only.")
                )
            }
        }
        try faults.finish()
        idField = first.idFieldName
        modificationDateField = first.modificationDateFieldName
        layout = RecordLayout(levels: infos.map(\.level))
    }

    /// Returns warnings about empty field lists.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        infos.enumerated().flatMap { FieldListCheck.pull($0.element.fieldlist, at: "infos[\($0.offset)].fieldlist") }
    }

    /// Returns the field list of the info.
    public func fetchedFields(level: Int) -> [FetchedFields] {
        guard infos.indices.contains(level) else { return [] }
        return [FetchedFields(of: infos[level].sobjectType, infos[level].fieldlist, at: "infos[\(level)].fieldlist")]
    }

    /// Returns the next slice of the briefcase's records; an empty page if a page of the list has none of the requested
    /// objects.
    ///
    /// The page contains the total if the list has one page. If it has more, the total is the server's number for the
    /// whole list, as long as the list contains no other objects. Records that were deleted before they are fetched are
    /// skipped. If the server could not run some rules of the briefcase, the last page reports this as its
    /// ``RecordPage/failure``: the records of those rules may be older than all fetched ones.
    ///
    /// - Throws: ``SoupError``: `server` (also if the server could not run any rule of the briefcase), `network`,
    ///   `json`; `cursorExpired` for a cursor that cannot be read.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        var position =
            try cursor.map { try BriefcaseCursor($0, infos: infos.count) } ?? BriefcaseCursor(infos: infos.count)
        let client = SalesforceClient(context)
        if position.isEmpty {
            let list = try await client.primingPage(
                token: position.token, from: cursor == nil ? context.highWaterMark : nil)
            try add(list, to: &position, isFirst: cursor == nil, in: context)
        }
        var levels: [RecordBatch] = []
        for (info, ids) in zip(infos, position.take(countIds)) {
            guard !ids.isEmpty else {
                levels.append(.empty)
                continue
            }
            try Task.checkCancellation()
            let (records, missing) = try await client.retrieveBatch(ids, of: info)
            if missing > 0 { context.log("\(missing) \(info.sobjectType) record(s) of the briefcase are gone") }
            levels.append(records)
        }
        let isLast = position.isEmpty && position.token == nil
        var page = RecordPage(
            levels: levels, next: isLast ? nil : try position.pageCursor, totalSize: position.total,
            serverTime: position.serverTime)
        page.hasAllChanges = position.failedRules.isEmpty
        if isLast, !position.failedRules.isEmpty {
            page.failure = SoupError(
                .server,
                "some rules of the briefcase could not be run: \(position.failedRules.joined(separator: ", "))",
                hint:
                    "Fix the rules in the setup of the org. Until then, each run fetches the records of the other rules."
            )
        }
        return page
    }

    /// Adds the content of a page of the list to the position.
    private func add(
        _ list: PrimingPage, to position: inout BriefcaseCursor, isFirst: Bool, in context: SyncContext
    ) throws {
        position.token = list.token
        position.serverTime = position.serverTime ?? list.serverTime
        position.pending = infos.map { list.ids(of: $0.sobjectType) }
        position.seen = position.seen.map { $0 + list.listed }
        position.listed += position.pending.reduce(0) { $0 + $1.count }
        for rule in list.failedRules where !position.failedRules.contains(rule) {
            context.log("rule \(rule) of the briefcase could not be run")
            position.failedRules.append(rule)
        }
        let wanted = Set(infos.map { $0.sobjectType.lowercased() })
        let others = list.ids.map(\.object).filter { !wanted.contains($0.lowercased()) }
        for object in others { context.log("the briefcase contains \(object) records, for which there is no info") }
        if list.token == nil {
            if let count = list.ruleCount, count > 0, position.failedRules.count >= count {
                throw SoupError(
                    .server,
                    "no rule of the briefcase could be run: \(position.failedRules.joined(separator: ", "))",
                    hint: "Fix the rules in the setup of the org. The run has changed no entries.")
            }
            if position.failedRules.isEmpty, let seen = position.seen { try list.check(listed: seen) }
            if position.total == nil { position.total = position.listed }
        } else if isFirst, others.isEmpty {
            position.total = list.recordCount
        }
    }
}

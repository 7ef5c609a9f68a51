// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Pushes record trees, parents together with their children, as many trees per request as possible.
///
/// A child of a parent that is created in the same request refers to it, so that the child is created only together
/// with its parent. A tree with more records than a request can contain is sent in several requests: the parent first,
/// then children with its ID.
public struct ParentChildrenSyncUpTarget: SyncUpTarget {
    /// The `type` of this target, `parent_children`, as that of the sync-down target.
    public static let name: PluginName = "parent_children"
    /// The names of the mobile SDKs for sync ups with this target.
    public static let aliases = PluginName.mobileSDKClass("ParentChildrenSyncUpTarget")
    /// Accounts with their contacts, with a field list for each kind of push.
    public static let sample = try? JSONText(
        """
        {"type": "parent_children", "relationshipType": "MASTER_DETAIL",
         "parent": {"sobjectType": "Account", "soupName": "accounts"},
         "createFieldlist": ["Name", "Description"], "updateFieldlist": ["Name", "Description"],
         "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                      "parentIdFieldName": "AccountId"},
         "childrenCreateFieldlist": ["LastName"], "childrenUpdateFieldlist": ["LastName"]}
        """)

    /// The target object of a parent-children sync up.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The parent and its children, from the keys `parent`, `children` and `relationshipType`.
        public var tree: RecordTreeInfo
        /// The fields of parents to send when they are created; nil means those of the sync's options.
        public var createFieldlist: [String]?
        /// The fields of parents to send when they are updated; nil means those of the sync's options.
        public var updateFieldlist: [String]?
        /// The fields of the only child level to send when its records are created, unless it has its own list.
        ///
        /// An empty list sends only the link to the parent.
        public var childrenCreateFieldlist: [String]?
        /// The same for updates; the parent's ID is sent without being listed.
        public var childrenUpdateFieldlist: [String]?
        /// Whether the server applies a tree completely or not at all, so that one refused record leaves the whole tree
        /// unchanged.
        ///
        /// Trees are then sent as composite graphs. Only a tree of more than 500 records, or of more than 15 kinds of
        /// requests, is still sent in parts. Default false: each record succeeds or fails on its own.
        public var allOrNone: Bool

        /// The keys that the lists of parents were read from, for the places of problems.
        var listKeys = ParentListKeys()
        /// The problems found when these lists were read; the target reports them with its own.
        var listFaults: [SoupError] = []

        /// Creates a configuration.
        ///
        /// The target checks the names; only the server checks the field lists.
        public init(
            tree: RecordTreeInfo, createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil,
            childrenCreateFieldlist: [String]? = nil, childrenUpdateFieldlist: [String]? = nil, allOrNone: Bool = false
        ) {
            self.tree = tree
            self.createFieldlist = createFieldlist
            self.updateFieldlist = updateFieldlist
            self.childrenCreateFieldlist = childrenCreateFieldlist
            self.childrenUpdateFieldlist = childrenUpdateFieldlist
            self.allOrNone = allOrNone
        }

        private enum CodingKeys: String, CodingKey {
            case childrenCreateFieldlist
            case childrenUpdateFieldlist
            case allOrNone
        }

        /// Reads the keys that have the names of the properties, and those of ``RecordTreeInfo``.
        ///
        /// Each child level needs its lists.
        ///
        /// `parentCreateFieldlist` and `parentUpdateFieldlist`, the names in the developer guide, are equivalent to
        /// `createFieldlist` and `updateFieldlist`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func list(_ key: CodingKeys) throws -> [String]? {
                try container.decodeIfPresent([String].self, forKey: key)
            }
            let parents = try ParentFieldlists(from: decoder)
            self.init(
                tree: try RecordTreeInfo(from: decoder), createFieldlist: parents.create,
                updateFieldlist: parents.update,
                childrenCreateFieldlist: try list(.childrenCreateFieldlist),
                childrenUpdateFieldlist: try list(.childrenUpdateFieldlist),
                allOrNone: try container.decodeIfPresent(Bool.self, forKey: .allOrNone) ?? false)
            (listKeys, listFaults) = (parents.keys, parents.faults)
        }

        /// The equivalent target object, for a ``SyncDefinition``.
        public var target: TargetReference {
            var json = tree.json
            json["createFieldlist"] = createFieldlist.map { .strings($0) }
            json["updateFieldlist"] = updateFieldlist.map { .strings($0) }
            json["childrenCreateFieldlist"] = childrenCreateFieldlist.map { .strings($0) }
            json["childrenUpdateFieldlist"] = childrenUpdateFieldlist.map { .strings($0) }
            json["allOrNone"] = .bool(allOrNone)
            return TargetReference(.object(json))
        }
    }

    /// The ID field of the parents; ``layout`` contains those of the children.
    public var idField: String { tree.levels[0].info.idFieldName }
    /// The parents' field that LEAVE_IF_CHANGED compares; children are compared by their own fields.
    public var modificationDateField: String { tree.levels[0].info.modificationDateFieldName }
    /// The levels, the roots first and each before its children.
    ///
    /// The engine pushes a root with its changed descendants as one change.
    public var layout: RecordLayout? { tree.layout }
    /// The maximum number of trees in a push; each may need any number of requests.
    public var maxBatchSize: Int {
        configuration.allOrNone ? CompositeGraph.maximumGraphs : CompositeSubrequest.maximum
    }
    private let configuration: Configuration
    private let tree: RecordTree

    /// - Throws: ``SoupError`` with the place of an invalid name, or of children without a field list;
    ///   `ConfigurationError` for several problems.
    public init(configuration: Configuration) throws {
        var faults = ConfigurationFaults()
        for fault in configuration.listFaults { faults.add(fault) }
        var tree = RecordTree(configuration.tree, faults: &faults)
        tree.assign(
            configuration.childrenCreateFieldlist, from: "childrenCreateFieldlist", to: "createFieldlist",
            at: \.createFieldlist,
            faults: &faults)
        tree.assign(
            configuration.childrenUpdateFieldlist, from: "childrenUpdateFieldlist", to: "updateFieldlist",
            at: \.updateFieldlist,
            faults: &faults)
        for level in tree.levels.dropFirst() where level.fieldlist == nil {
            for (key, list) in [
                ("createFieldlist", level.createFieldlist), ("updateFieldlist", level.updateFieldlist),
            ]
            where list == nil {
                faults.add(
                    SoupError(
                        .badConfiguration, "there is no list of the fields to send",
                        place: SoupError.Place(path: "\(level.path).\(key)"),
                        hint: "Add \"\(key)\" or \"fieldlist\" to these children."))
            }
        }
        try faults.finish()
        self.tree = tree
        self.configuration = configuration
    }

    /// Returns warnings about changes of parents that cannot be sent because a field list is missing, and about empty
    /// lists.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        let keys = configuration.listKeys
        return FieldListCheck.push(
            create: configuration.createFieldlist, update: configuration.updateFieldlist,
            keys: (keys.create, keys.update), options)
    }

    /// Returns the fields in the lists of a level, and its external ID; for parents the `fieldlist` of the
    /// options replaces a missing list.
    public func pushedFields(level position: Int, with options: SyncOptions) -> [PushedFields] {
        let level = tree.levels[position]
        let externalId = (level.info.externalIdFieldName, "\(level.path).externalIdFieldName")
        let clientKey = (level.info.clientKeyFieldName, "\(level.path).clientKeyFieldName")
        guard position > 0 else {
            return PushedFields.lists(
                of: level.info.sobjectType,
                create: (configuration.createFieldlist, configuration.listKeys.create),
                update: (configuration.updateFieldlist, configuration.listKeys.update),
                otherwise: (options.fieldlist, nil),
                externalId: externalId, clientKey: clientKey)
        }
        // The older keys apply to the only child level if it has no list of its own.
        let only = configuration.tree.children.first
        let isOldCreate = only?.createFieldlist == nil && configuration.childrenCreateFieldlist != nil
        let isOldUpdate = only?.updateFieldlist == nil && configuration.childrenUpdateFieldlist != nil
        return PushedFields.lists(
            of: level.info.sobjectType,
            create: (
                level.createFieldlist,
                isOldCreate ? "childrenCreateFieldlist" : "\(level.path).createFieldlist"
            ),
            update: (
                level.updateFieldlist,
                isOldUpdate ? "childrenUpdateFieldlist" : "\(level.path).updateFieldlist"
            ), otherwise: (level.fieldlist, "\(level.path).fieldlist"), externalId: externalId,
            clientKey: clientKey)
    }

    /// Returns the field that the level of the configuration names.
    public func clientKeyField(level: Int) -> String? { tree.levels[level].info.clientKeyFieldName }

    /// Pushes trees; each outcome has one for every child of its change, in order, level by level.
    ///
    /// An unchanged record is reported as skipped, while its children are sent. Children of a deleted parent have its
    /// outcome under `MASTER_DETAIL` and are not sent. If the server refuses a whole tree, the records with an error of
    /// their own have failed, and the others are skipped. After a lost response nothing more is sent, and the changes
    /// after it are reported as not sent.
    ///
    /// - Throws: ``SoupError`` while nothing has reached the server; `badConfiguration` if there is no field list for
    ///   parents.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try RecordTreePush(changes, tree: tree, forms: forms(context.options))
        try await push.run(asGraphs: configuration.allOrNone, with: SalesforceClient(context))
        return push.outcomes
    }

    /// Returns whether a creation and all creations below it have a value in their external ID field.
    public func isIdempotent(_ creation: RecordChange) -> Bool {
        let field = tree.levels[creation.level].info.externalIdFieldName
        return (creation.kind != .create || RecordForm.externalId(of: creation, in: field) != nil)
            && creation.children.allSatisfy { isIdempotent($0) }
    }

    /// Fetches the modification dates of records of any level by ID, one object at a time.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        for (index, level) in tree.levels.enumerated() {
            let positions = changes.indices.filter {
                changes[$0].level == index && changes[$0].serverId.map(SalesforceID.isPossible) == true
            }
            let ids = positions.compactMap { changes[$0].serverId }
            guard !ids.isEmpty else { continue }
            let field = level.info.modificationDateFieldName
            let records = try await SalesforceClient(context).retrieve(ids, of: level.info.sobjectType, fields: [field])
            for (position, record) in zip(positions, records) {
                states[position] = record.map { $0[field]?.stringValue.map { .modified($0) } ?? .unknown } ?? .deleted
            }
        }
        return states
    }

    /// Fetches the fields that the change can send, the parent's ID and the modification date, from the server.
    ///
    /// For deletions these are the fields of creations and updates. One request fetches up to 2,000 records of one
    /// object and one kind of change.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil if the ID of a record is unknown.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        guard changes.allSatisfy({ $0.serverId.map(SalesforceID.isPossible) == true }) else { return nil }
        let forms = forms(context.options)
        var records: [JSONText?] = Array(repeating: nil, count: changes.count)
        for (index, level) in tree.levels.enumerated() {
            for kind in [RecordChange.Kind.update, .none, .delete, .create] {
                let positions = changes.indices.filter { changes[$0].level == index && changes[$0].kind == kind }
                guard !positions.isEmpty else { continue }
                let fields = forms[index].ownNames(for: kind).completed(
                    with: [level.parentIdField, level.info.modificationDateFieldName].compactMap { $0 })
                let found = try await SalesforceClient(context).retrieve(
                    positions.compactMap { changes[$0].serverId }, of: level.info.sobjectType, fields: fields)
                for (position, record) in zip(positions, found) { records[position] = try record?.jsonText() }
            }
        }
        return records
    }

    /// Finds created records of any level by their external IDs or client keys.
    ///
    /// - Returns: nil if one of them has neither.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        let forms = forms(SyncOptions())
        return try await SalesforceClient(context).findCreated(changes) { forms[$0.level] }
    }

    /// Returns the form of each level, which defines the fields to send.
    private func forms(_ options: SyncOptions) -> [RecordForm] {
        tree.levels.enumerated().map { position, level in
            let isRoot = position == 0
            return RecordForm(
                names: level.info.names, externalIdField: level.info.externalIdFieldName,
                clientKeyField: level.info.clientKeyFieldName,
                createList: isRoot ? configuration.createFieldlist : level.createFieldlist ?? level.fieldlist,
                updateList: isRoot ? configuration.updateFieldlist : level.updateFieldlist ?? level.fieldlist,
                options: options, objectType: level.info.sobjectType, typeIsFixed: true)
        }
    }
}

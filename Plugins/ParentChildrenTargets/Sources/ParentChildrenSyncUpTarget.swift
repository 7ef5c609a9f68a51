// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Pushes parents together with their children, level by level, as many trees as fit into one request.
///
/// A child of a parent that is created in the same request refers to it, so that both arrive together or the child does
/// not. A tree with more members than a request takes goes out in several: the parent first, then children with its id.
public struct ParentChildrenSyncUpTarget: SyncUpTarget {
    /// The `type` of this target, `parent_children`, as that of the sync-down target.
    public static let name: PluginName = "parent_children"
    /// The class names by which sync ups of the mobile SDKs ask for it.
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
        /// The two objects and their soups, from the keys `parent`, `children` and `relationshipType`.
        public var family: Family
        /// The fields of parents to send when they are created; nil means those of the sync's options.
        public var createFieldlist: [String]?
        /// The fields of parents to send when they are updated; nil means those of the sync's options.
        public var updateFieldlist: [String]?
        /// The fields of the only kind of children to send when they are created, unless it has its own list.
        ///
        /// An empty list sends the link to the parent alone.
        public var childrenCreateFieldlist: [String]?
        /// The same for updates; the parent's id goes along without being listed.
        public var childrenUpdateFieldlist: [String]?
        /// Whether the server takes a tree whole or not at all, so that one with a refused record stays as it is.
        ///
        /// Trees go out as composite graphs then; only a tree of more than 500 records, or of more than 15 kinds of
        /// requests, still goes out in parts. Default false: each record stands for itself.
        public var allOrNone: Bool

        /// The keys that the lists of parents were read from, for the places of problems.
        var listKeys = ParentListKeys()
        /// The faults of these lists that reading found; the target reports them with its own.
        var listFaults: [SoupError] = []

        /// Makes a configuration.
        ///
        /// The target checks the names; only the server checks the field lists.
        public init(
            family: Family, createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil,
            childrenCreateFieldlist: [String]? = nil, childrenUpdateFieldlist: [String]? = nil, allOrNone: Bool = false
        ) {
            self.family = family
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

        /// Reads the keys named like the properties, and those of ``Family``; each kind of children needs its lists.
        ///
        /// `parentCreateFieldlist` and `parentUpdateFieldlist`, the names in the developer guide, mean the same as
        /// `createFieldlist` and `updateFieldlist`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func list(_ key: CodingKeys) throws -> [String]? {
                try container.decodeIfPresent([String].self, forKey: key)
            }
            let parents = try ParentFieldlists(from: decoder)
            self.init(
                family: try Family(from: decoder), createFieldlist: parents.create, updateFieldlist: parents.update,
                childrenCreateFieldlist: try list(.childrenCreateFieldlist),
                childrenUpdateFieldlist: try list(.childrenUpdateFieldlist),
                allOrNone: try container.decodeIfPresent(Bool.self, forKey: .allOrNone) ?? false)
            (listKeys, listFaults) = (parents.keys, parents.faults)
        }

        /// The target object that says the same, for a ``SyncDefinition``.
        public var target: TargetReference {
            var json = family.json
            json["createFieldlist"] = createFieldlist.map { .strings($0) }
            json["updateFieldlist"] = updateFieldlist.map { .strings($0) }
            json["childrenCreateFieldlist"] = childrenCreateFieldlist.map { .strings($0) }
            json["childrenUpdateFieldlist"] = childrenUpdateFieldlist.map { .strings($0) }
            json["allOrNone"] = .bool(allOrNone)
            return TargetReference(.object(json))
        }
    }

    /// The id field of the parents; the engine finds that of the children in ``layout``.
    public var idField: String { tree.members[0].info.idFieldName }
    /// The parents' field that LEAVE_IF_CHANGED compares; children are compared by their own.
    public var modificationDateField: String { tree.members[0].info.modificationDateFieldName }
    /// Roots first, each kind of children in front of its own: the engine pushes a root with what changed below it as
    /// one change.
    public var layout: RecordLayout? { tree.layout }
    /// Trees; each may take any number of requests.
    public var maxBatchSize: Int {
        configuration.allOrNone ? CompositeGraph.maximumGraphs : CompositeSubrequest.maximum
    }
    private let configuration: Configuration
    private let tree: FamilyTree

    /// - Throws: ``SoupError`` with the place of a name that cannot be one, or of children without a field list;
    ///   `ConfigurationError` when there are several.
    public init(configuration: Configuration) throws {
        var faults = ConfigurationFaults()
        for fault in configuration.listFaults { faults.add(fault) }
        var tree = FamilyTree(configuration.family, faults: &faults)
        tree.adopt(
            configuration.childrenCreateFieldlist, "childrenCreateFieldlist", as: "createFieldlist", \.createFieldlist,
            faults: &faults)
        tree.adopt(
            configuration.childrenUpdateFieldlist, "childrenUpdateFieldlist", as: "updateFieldlist", \.updateFieldlist,
            faults: &faults)
        for member in tree.members.dropFirst() where member.fieldlist == nil {
            for (key, list) in [
                ("createFieldlist", member.createFieldlist), ("updateFieldlist", member.updateFieldlist),
            ]
            where list == nil {
                faults.add(
                    SoupError(
                        .badConfiguration, "no field list says what to send",
                        place: Place(path: "\(member.path).\(key)"),
                        hint: "Add \"\(key)\" or \"fieldlist\" to these children."))
            }
        }
        try faults.finish()
        self.tree = tree
        self.configuration = configuration
    }

    /// What cannot be sent of parents for want of a field list, and lists that send nothing.
    public func problems(with options: SyncOptions) -> [ConfigurationProblem] {
        let keys = configuration.listKeys
        return FieldListCheck.push(
            create: configuration.createFieldlist, update: configuration.updateFieldlist,
            keys: (keys.create, keys.update), options)
    }

    /// The fields of the lists of a kind of records, and their external id; of parents the `fieldlist` of the options
    /// stands in for either list.
    public func sentFields(part: Int, with options: SyncOptions) -> [SentFields] {
        let member = tree.members[part]
        let externalId = (member.info.externalIdFieldName, "\(member.path).externalIdFieldName")
        guard part > 0 else {
            return SentFields.lists(
                of: member.info.sobjectType,
                create: (configuration.createFieldlist, configuration.listKeys.create),
                update: (configuration.updateFieldlist, configuration.listKeys.update),
                otherwise: (options.fieldlist, nil),
                externalId: externalId)
        }
        // The older keys are for the only kind of children, where it has no list of its own.
        let only = configuration.family.children.first
        let isOldCreate = only?.createFieldlist == nil && configuration.childrenCreateFieldlist != nil
        let isOldUpdate = only?.updateFieldlist == nil && configuration.childrenUpdateFieldlist != nil
        return SentFields.lists(
            of: member.info.sobjectType,
            create: (
                member.createFieldlist,
                isOldCreate ? "childrenCreateFieldlist" : "\(member.path).createFieldlist"
            ),
            update: (
                member.updateFieldlist,
                isOldUpdate ? "childrenUpdateFieldlist" : "\(member.path).updateFieldlist"
            ), otherwise: (member.fieldlist, "\(member.path).fieldlist"), externalId: externalId)
    }

    /// Pushes trees; each outcome has one for every child of its change, in order, level by level.
    ///
    /// A record that did not change itself is reported as skipped, while its children go out. Children of a deleted
    /// parent share its fate under `MASTER_DETAIL` and are not sent. In a tree that is refused whole, the records that
    /// the server blames failed, and the others are skipped. After a lost answer nothing more is sent, and the changes
    /// behind it are reported as not sent.
    ///
    /// - Throws: ``SoupError`` while nothing has reached the server; `badConfiguration` when there is no field list for
    ///   parents.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try FamilyPush(changes, tree: tree, forms: forms(context.options))
        try await push.run(asGraphs: configuration.allOrNone, in: context)
        return push.outcomes
    }

    /// Whether a creation and all creations below it carry a value in their external id field.
    public func isIdempotent(_ creation: RecordChange) -> Bool {
        let field = tree.members[creation.part].info.externalIdFieldName
        return (creation.kind != .create || RecordForm.externalId(of: creation, in: field) != nil)
            && creation.children.allSatisfy { isIdempotent($0) }
    }

    /// True: modification dates are asked for by id, one object at a time.
    public var tellsServerStates: Bool { true }

    /// What the server knows of records of any kind, each kind by its own date field.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        for (part, member) in tree.members.enumerated() {
            let positions = changes.indices.filter {
                changes[$0].part == part && changes[$0].serverId.map(SalesforceID.isPossible) == true
            }
            let ids = positions.compactMap { changes[$0].serverId }
            guard !ids.isEmpty else { continue }
            let field = member.info.modificationDateFieldName
            let records = try await context.retrieve(ids, of: member.info.sobjectType, fields: [field])
            for (position, record) in zip(positions, records) {
                states[position] = record.map { $0[field]?.stringValue.map { .modified($0) } ?? .unknown } ?? .deleted
            }
        }
        return states
    }

    /// Asks for the fields that the change can send, for deletions those of creations and updates, for the parent's id
    /// and for the modification date: one request for 2,000 records of one object and one kind of change.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `notSupported` for a record whose id is not known.
    public func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?] {
        guard changes.allSatisfy({ $0.serverId.map(SalesforceID.isPossible) == true }) else {
            throw SoupError(.notSupported, "a record without an id cannot be fetched")
        }
        let forms = forms(context.options)
        var records: [JSONText?] = Array(repeating: nil, count: changes.count)
        for (part, member) in tree.members.enumerated() {
            for kind in [RecordChange.Kind.update, .none, .delete, .create] {
                let positions = changes.indices.filter { changes[$0].part == part && changes[$0].kind == kind }
                guard !positions.isEmpty else { continue }
                let fields = forms[part].ownNames(for: kind).completed(
                    with: [member.parentIdField, member.info.modificationDateFieldName].compactMap { $0 })
                let found = try await context.retrieve(
                    positions.compactMap { changes[$0].serverId }, of: member.info.sobjectType, fields: fields)
                for (position, record) in zip(positions, found) { records[position] = try record?.jsonText() }
            }
        }
        return records
    }

    /// Looks creations of any kind up by their external ids.
    ///
    /// - Throws: ``SoupError`` with `notSupported` when one of them has none.
    public func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?] {
        let forms = forms(SyncOptions())
        return try await context.findCreated(changes) { forms[$0.part] }
    }

    /// What is sent of each kind.
    private func forms(_ options: SyncOptions) -> [RecordForm] {
        tree.members.enumerated().map { position, member in
            let isRoot = position == 0
            return RecordForm(
                names: member.info.names, externalIdField: member.info.externalIdFieldName,
                createList: isRoot ? configuration.createFieldlist : member.createFieldlist ?? member.fieldlist,
                updateList: isRoot ? configuration.updateFieldlist : member.updateFieldlist ?? member.fieldlist,
                options: options, objectType: member.info.sobjectType, typeIsFixed: true)
        }
    }
}

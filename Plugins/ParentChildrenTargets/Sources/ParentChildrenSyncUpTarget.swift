// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Pushes parents together with their children, as many trees as fit into one composite request.
///
/// A child of a parent that is created in the same request refers to it, so that both arrive together or the child does
/// not. A tree with more members than a request takes goes out in several: the parent first, then children with its id.
public struct ParentChildrenSyncUpTarget: SyncUpTarget {
    /// The `type` of this target, `parent_children`, as that of the sync-down target.
    public static let name: PluginName = "parent_children"
    /// The class names by which sync ups of the mobile SDKs ask for it.
    public static let aliases: [PluginName] = [
        "SFParentChildrenSyncUpTarget", "com.salesforce.androidsdk.mobilesync.target.ParentChildrenSyncUpTarget",
    ]
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
        /// The fields of children to send when they are created; an empty list sends the link to the parent alone.
        public var childrenCreateFieldlist: [String]
        /// The fields of children to send when they are updated; the parent's id goes along without being listed.
        public var childrenUpdateFieldlist: [String]

        /// Makes a configuration; names are checked by the target, field lists by nobody but the server.
        public init(
            family: Family, createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil,
            childrenCreateFieldlist: [String], childrenUpdateFieldlist: [String]
        ) {
            self.family = family
            self.createFieldlist = createFieldlist
            self.updateFieldlist = updateFieldlist
            self.childrenCreateFieldlist = childrenCreateFieldlist
            self.childrenUpdateFieldlist = childrenUpdateFieldlist
        }

        private enum CodingKeys: String, CodingKey {
            case createFieldlist
            case updateFieldlist
            case childrenCreateFieldlist
            case childrenUpdateFieldlist
        }

        /// Reads the keys named like the properties, and those of ``Family``; only the parents' lists may be left out.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                family: try Family(from: decoder),
                createFieldlist: try container.decodeIfPresent([String].self, forKey: .createFieldlist),
                updateFieldlist: try container.decodeIfPresent([String].self, forKey: .updateFieldlist),
                childrenCreateFieldlist: try container.decode([String].self, forKey: .childrenCreateFieldlist),
                childrenUpdateFieldlist: try container.decode([String].self, forKey: .childrenUpdateFieldlist))
        }
    }

    /// The id field of the parents; the engine finds that of the children in ``layout``.
    public var idField: String { family.parent.idFieldName }
    /// The parents' field that LEAVE_IF_CHANGED compares; children are compared by their own.
    public var modificationDateField: String { family.parent.modificationDateFieldName }
    /// Parents first, then children: the engine pushes a parent with its dirty children as one change.
    public var layout: RecordLayout? { family.layout }
    /// Trees; each may take any number of requests.
    public var maxBatchSize: Int { CompositeSubrequest.maximum }
    private let configuration: Configuration
    private var family: Family { configuration.family }

    /// - Throws: ``SoupError`` with the place of a name that cannot be one.
    public init(configuration: Configuration) throws {
        try configuration.family.check()
        self.configuration = configuration
    }

    /// Pushes trees; each outcome has one for every child of its change, in order.
    ///
    /// A parent that did not change itself is reported as skipped, while its children go out. Children of a deleted
    /// parent share its fate under `MASTER_DETAIL` and are not sent. After a lost answer nothing more is sent: the
    /// changes behind it failed with `NOT_SENT`.
    ///
    /// - Throws: ``SoupError`` while nothing has reached the server; `badConfiguration` when there is no field list for
    ///   parents.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try FamilyPush(changes, family: family, forms: forms(context.options))
        try await push.run(in: context)
        return push.outcomes
    }

    /// Whether a creation and all creations among its children carry a value in their external id field.
    public func isIdempotent(_ creation: RecordChange) -> Bool {
        let forms = forms(SyncOptions())
        let form = creation.part == 0 ? forms.parent : forms.child
        return form.externalId(of: creation) != nil
            && creation.children.allSatisfy { $0.kind != .create || isIdempotent($0) }
    }

    /// True: modification dates are asked for by id, one object at a time.
    public var tellsServerStates: Bool { true }

    /// What the server knows of parents and, where a change is one of a child, of children.
    public func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        var states = Array(repeating: ServerState.unknown, count: changes.count)
        for (part, member) in [family.parent, family.children.info].enumerated() {
            let positions = changes.indices.filter { changes[$0].part == part && changes[$0].serverId != nil }
            let ids = positions.compactMap { changes[$0].serverId }
            guard !ids.isEmpty else { continue }
            let field = member.modificationDateFieldName
            let records = try await context.retrieve(ids, of: member.sobjectType, fields: [field])
            for (position, record) in zip(positions, records) {
                states[position] = record.map { $0[field]?.stringValue.map { .modified($0) } ?? .unknown } ?? .deleted
            }
        }
        return states
    }

    private func forms(_ options: SyncOptions) -> FamilyForms {
        let children = family.children
        return FamilyForms(
            parent: RecordForm(
                names: family.parent.names, externalIdField: family.parent.externalIdFieldName,
                createList: configuration.createFieldlist, updateList: configuration.updateFieldlist, options: options,
                objectType: family.parent.sobjectType, typeIsFixed: true),
            child: RecordForm(
                names: children.info.names, externalIdField: children.info.externalIdFieldName,
                createList: configuration.childrenCreateFieldlist, updateList: configuration.childrenUpdateFieldlist,
                options: options, objectType: children.info.sobjectType, typeIsFixed: true))
    }
}

/// What is sent of parents and of children.
struct FamilyForms: Sendable {
    var parent: RecordForm
    var child: RecordForm
}

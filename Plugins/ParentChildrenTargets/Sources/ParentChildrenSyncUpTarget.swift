// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Pushes parents together with their children, as many trees as fit into one composite request.
///
/// A child of a parent that is created in the same request refers to it, so that both arrive together or the child does
/// not. A tree with more members than a request takes goes out in several: the parent first, then children with its id.
public struct ParentChildrenSyncUpTarget: SyncUpTarget {
    public static let name: PluginName = "parent_children"
    public static let aliases: [PluginName] = [
        "SFParentChildrenSyncUpTarget", "com.salesforce.androidsdk.mobilesync.target.ParentChildrenSyncUpTarget",
    ]
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
        public var family: Family
        /// The fields of parents to send when they are created; nil means those of the sync's options.
        public var createFieldlist: [String]?
        /// The fields of parents to send when they are updated; nil means those of the sync's options.
        public var updateFieldlist: [String]?
        public var childrenCreateFieldlist: [String]
        public var childrenUpdateFieldlist: [String]

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

    public var idField: String { family.parent.idFieldName }
    public var modificationDateField: String { family.parent.modificationDateFieldName }
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

    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try FamilyPush(changes, family: family, forms: forms(context.options))
        try await push.run(in: context)
        return push.outcomes
    }

    public func isIdempotent(_ creation: RecordChange) -> Bool {
        let forms = forms(SyncOptions())
        let form = creation.part == 0 ? forms.parent : forms.child
        return form.externalId(of: creation) != nil
            && creation.children.allSatisfy { $0.kind != .create || isIdempotent($0) }
    }

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

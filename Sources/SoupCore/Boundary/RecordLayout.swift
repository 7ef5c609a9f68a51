// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The soups of a target that spans more than one, and the relationships of their records.
public struct RecordLayout: Sendable, Hashable {
    /// One soup of a layout, with one kind of record.
    ///
    /// In a tree, it is the root's soup, or the soup of one kind of children. In a layout without relationships, such
    /// as that of a briefcase, each level is independent of the others.
    public struct Level: Sendable, Hashable {
        /// The soup of the records; a sync down needs an index on ``idField`` there.
        public var soup: SoupName
        /// The field of the server's ID; entries created locally have a temporary ID there, which begins with `local_`.
        public var idField: String
        /// The field of the time of the last change on the server.
        public var modificationDateField: String
        /// The form of the values of ``modificationDateField``.
        public var dateFormat: RecordDateFormat
        /// The field of the record's version on the server, such as a revision or an ETag; nil if records have none.
        public var versionField: String?
        /// For children: the field that contains the parent's ID.
        public var parentIdField: String?
        /// For children: the position of their parents' level, which is lower than their own.
        public var parentLevel: Int
        /// For children: the effect of deleting their parent; nil means the layout's ``RecordLayout/relationship``.
        public var relationship: Relationship?

        /// Creates a level; without `parentIdField` it is the root of a tree, or is unrelated to the other levels.
        public init(
            soup: SoupName, idField: String = "Id", modificationDateField: String = "LastModifiedDate",
            dateFormat: RecordDateFormat = .iso8601, versionField: String? = nil, parentIdField: String? = nil,
            parentLevel: Int = 0, relationship: Relationship? = nil
        ) {
            self.soup = soup
            self.idField = idField
            self.modificationDateField = modificationDateField
            self.dateFormat = dateFormat
            self.versionField = versionField
            self.parentIdField = parentIdField
            self.parentLevel = parentLevel
            self.relationship = relationship
        }
    }

    /// The effect on children of deleting their parent.
    public enum Relationship: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server deletes the children too.
        case masterDetail = "MASTER_DETAIL"
        /// The children stay, without a parent.
        case lookup = "LOOKUP"
    }

    /// The levels in the order of ``RecordPage/levels``: the root of a tree first, and each parent before its children.
    ///
    /// A layout without levels counts as no layout.
    public var levels: [Level]
    /// The relationship of children to their parents, unless their level has its own.
    ///
    /// A sync up uses it when it deletes a parent, or creates one again.
    public var relationship: Relationship

    /// Creates a layout; it does not check that the fields exist.
    public init(levels: [Level], relationship: Relationship = .lookup) {
        self.levels = levels
        self.relationship = relationship
    }

    /// Whether any level has children; a tree with a local change in any of its records is dirty as a whole.
    public var isTree: Bool { levels.contains { $0.parentIdField != nil } }

    /// Returns the positions of the levels whose records are children of a level's records.
    public func children(of position: Int) -> [Int] {
        levels.indices.filter { levels[$0].parentIdField != nil && $0 > position && levels[$0].parentLevel == position }
    }

    /// Returns the effect on the records of a level when their parent is deleted.
    public func relationship(of position: Int) -> Relationship { levels[position].relationship ?? relationship }
}

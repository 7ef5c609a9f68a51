// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The soups of a target that spans more than one, and the relationships of their records.
public struct RecordLayout: Sendable, Hashable {
    /// One soup of a layout, with one kind of record.
    ///
    /// In a tree, each part is a level: the root's soup, or the soup of one kind of children. In a layout without
    /// relationships, such as that of a briefcase, the parts are independent soups.
    public struct Part: Sendable, Hashable {
        /// The soup of the records; a sync down needs an index on ``idField`` there.
        public var soup: SoupName
        /// The field of the server's ID; entries created locally have a temporary ID there, which begins with `local_`.
        public var idField: String
        /// The field of the time of the last change on the server, ISO 8601.
        public var modificationDateField: String
        /// For children: the field that contains the parent's ID.
        public var parentIdField: String?
        /// For children: the position of their parents' part, which is lower than their own.
        public var parentPart: Int
        /// For children: the effect of deleting their parent; nil means the layout's ``RecordLayout/relationship``.
        public var relationship: Relationship?

        /// Creates a part; without `parentIdField` it is the root of a tree, or is unrelated to the other parts.
        public init(
            soup: SoupName, idField: String = "Id", modificationDateField: String = "LastModifiedDate",
            parentIdField: String? = nil, parentPart: Int = 0, relationship: Relationship? = nil
        ) {
            self.soup = soup
            self.idField = idField
            self.modificationDateField = modificationDateField
            self.parentIdField = parentIdField
            self.parentPart = parentPart
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

    /// The parts in the order of ``RecordPage/parts``: the root of a tree first, and each parent before its children.
    ///
    /// A layout without parts counts as no layout.
    public var parts: [Part]
    /// The relationship of children to their parents, unless their part has its own.
    ///
    /// A sync up uses it when it deletes a parent, or creates one again.
    public var relationship: Relationship

    /// Creates a layout; it does not check that the fields exist.
    public init(parts: [Part], relationship: Relationship = .lookup) {
        self.parts = parts
        self.relationship = relationship
    }

    /// Whether any part has children; a tree with a local change in any of its records is dirty as a whole.
    public var isTree: Bool { parts.contains { $0.parentIdField != nil } }

    /// Returns the positions of the parts whose records are children of a part's records.
    public func children(of position: Int) -> [Int] {
        parts.indices.filter { parts[$0].parentIdField != nil && $0 > position && parts[$0].parentPart == position }
    }

    /// Returns the effect on the records of a part when their parent is deleted.
    public func relationship(of position: Int) -> Relationship { parts[position].relationship ?? relationship }
}

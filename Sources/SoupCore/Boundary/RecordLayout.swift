// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The soups of a target that spans more than one, and how their records hang together.
public struct RecordLayout: Sendable, Hashable {
    /// One kind of record in one soup.
    public struct Part: Sendable, Hashable {
        /// Where the records lie; a sync down needs an index on ``idField`` there.
        public var soup: SoupName
        /// The field of the server's id; in entries made here it holds a temporary id, which begins with `local_`.
        public var idField: String
        /// The field of the last change on the server, ISO 8601.
        public var modificationDateField: String
        /// For children: the field that holds the parent's id.
        public var parentIdField: String?
        /// For children: the position of the part that their parents are of; it comes before their own.
        public var parentPart: Int
        /// For children: what becomes of them when their parent is deleted; nil means what the layout says.
        public var relationship: Relationship?

        /// Without `parentIdField` the part is the root of the tree, or has nothing to do with the others.
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

    /// What becomes of children when their parent is deleted.
    public enum Relationship: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server deletes them too.
        case masterDetail = "MASTER_DETAIL"
        /// They stay, without a parent.
        case lookup = "LOOKUP"
    }

    /// In the order of ``Page/parts``, the root of a tree first and each parent before its children; without any, the
    /// layout counts as none.
    public var parts: [Part]
    /// Matters to a sync up that deletes a parent, or that makes one again; parts can say otherwise for themselves.
    public var relationship: Relationship

    /// A layout as given; that its fields exist is not checked.
    public init(parts: [Part], relationship: Relationship = .lookup) {
        self.parts = parts
        self.relationship = relationship
    }

    /// Whether children make the parts trees: a tree with local changes anywhere is dirty as a whole.
    public var isTree: Bool { parts.contains { $0.parentIdField != nil } }

    /// The positions of the parts whose records are children of a part's records.
    public func children(of position: Int) -> [Int] {
        parts.indices.filter { parts[$0].parentIdField != nil && $0 > position && parts[$0].parentPart == position }
    }

    /// What becomes of the records of a part when their parent is deleted.
    public func relationship(of position: Int) -> Relationship { parts[position].relationship ?? relationship }
}

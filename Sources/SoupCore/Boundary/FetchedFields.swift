// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The fields of one object that a sync down fetches.
public struct FetchedFields: Sendable, Hashable {
    /// The object's name on the server, compared without case.
    public var objectType: String
    /// The fetched fields; a field over a relationship has a dotted name (`Account.Name`).
    ///
    /// Case and order are ignored, and so is whether the ID and the modification date are included.
    public var fields: [String]
    /// The members of ``fields`` that are names defined by the query, such as the alias of a function.
    ///
    /// The server has no fields with these names.
    public var aliases: [String]
    /// Whether the query requests nothing else, such as the ID and the modification date.
    public var isWhole: Bool
    /// The place in the target object that names the fields, for warnings.
    public var path: String

    /// Creates the list of fields that a target requests; it does not check that the server has them.
    public init(
        of objectType: String, _ fields: [String], aliases: [String] = [], isWhole: Bool = false, at path: String
    ) {
        self.objectType = objectType
        self.fields = fields
        self.aliases = aliases
        self.isWhole = isWhole
        self.path = path
    }
}

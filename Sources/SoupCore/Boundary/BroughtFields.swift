// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The fields of one object that a sync down brings.
public struct BroughtFields: Sendable, Hashable {
    /// The object on the server; case does not count.
    public var objectType: String
    /// The fields, those over relationships with their dots (`Account.Name`); case and order do not count, and neither
    /// does whether the id and the modification date are among them.
    public var fields: [String]
    /// Those of the fields that are names of the query's own, such as the alias of a function: the server has none of
    /// these.
    public var aliases: [String]
    /// Whether nothing is asked for beside them, such as the id and the modification date.
    public var isWhole: Bool
    /// Where in the target object they are named, for warnings.
    public var path: String

    /// Fields as a target asks for them; that the server has them is not checked.
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

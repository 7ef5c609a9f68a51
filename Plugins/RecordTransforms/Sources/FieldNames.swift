// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The check of names of members in configurations.
enum FieldNames {
    /// Checks that names are those of members of records, and not paths: a transform would not find the value, and
    /// leave it as it is.
    ///
    /// - Parameter key: the key of the configuration with the names.
    /// - Throws: ``SoupError`` with `badConfiguration`.
    static func check(_ names: some Sequence<String>, at key: String) throws {
        for name in names.sorted() where name.isEmpty || name.contains(".") {
            throw SoupError(
                .badConfiguration, "\"\(name.excerpt(100))\" is not the name of a member of records",
                place: SoupError.Place(path: key),
                hint: "Write the name of a top-level member; an object in it is changed as a whole.")
        }
        if let name = names.sorted().first(where: EntryField.own.contains) {
            throw SoupError(
                .badConfiguration, "\"\(name.excerpt(100))\" is a name of SoupKit's own members",
                place: SoupError.Place(path: key), hint: "Use another name.")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The objects that every org has, described as in seed files: types, lengths, picklists and delete rules are those of
/// a Developer Edition.
enum StandardObjects {
    static func add(to reader: inout SchemaReader) throws {
        for text in [sales, service, system] {
            reader.add(try JSONValue(parsing: text).objectValue ?? JSONObject())
        }
    }
}

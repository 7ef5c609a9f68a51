// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A stamp made ready for many records of one soup.
struct PreparedStamp {
    let stamp: Stamp
    /// `"name":value,...` of the members it sets; empty when it only takes some away.
    let suffix: [UInt8]
    /// For each column of the soup the value that the stamp gives it; nil where the record decides.
    let overrides: [IndexValue?]

    init(_ stamp: Stamp, for table: SoupTable) {
        self.stamp = stamp
        var suffix: [UInt8] = []
        for member in stamp.members {
            guard let value = member.value else { continue }
            if !suffix.isEmpty { suffix.append(UInt8(ascii: ",")) }
            JSONEscapes.appendQuoted(member.name.utf8, to: &suffix)
            suffix.append(UInt8(ascii: ":"))
            suffix += value.bytes
        }
        self.suffix = suffix
        overrides = table.columns.map { column in Self.override(column.path, column.kind, stamp) }
    }

    /// The JSON value that the stamp gives a path; the outer nil when it says nothing about it.
    static func value(at path: JSONPath, in stamp: Stamp) -> JSONText?? {
        let keys = path.keys
        guard let first = keys.first, let member = stamp.members.last(where: { $0.name == first }) else { return nil }
        guard let value = member.value, keys.count > 1 else { return .some(member.value) }
        let rest = JSONPath(keys.dropFirst().joined(separator: "."))
        return .some(value[rest].flatMap { try? JSONText($0) })
    }

    private static func override(_ path: JSONPath, _ kind: IndexSpec.Kind, _ stamp: Stamp) -> IndexValue? {
        value(at: path, in: stamp).map { IndexValue($0, for: kind) }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The fields of a record that are sent in a request, copied as bytes from the entry.
///
/// A path with dots leads through nested objects; its value is sent under the full text of the path. A missing value is
/// omitted, an explicit null is sent.
package struct FieldSelection: Sendable {
    /// The fields that are sent when a record has them, in the order of the list.
    package let names: [String]
    private let projection: JSONProjection

    /// - Parameters:
    ///   - paths: the field list; duplicate paths count once.
    ///   - excluded: fields that are never sent, compared without case: the ID and the modification date.
    package init(_ paths: [String], excluding excluded: [String] = []) {
        let excluded = Set((excluded + ["attributes"]).map { $0.lowercased() })
        var seen: Set<String> = []
        names = paths.filter { !$0.isEmpty && !excluded.contains($0.lowercased()) && seen.insert($0).inserted }
        projection = JSONProjection(names.map { JSONPath($0) })
    }

    /// Returns the members of a body, in the order of the list.
    package func members(of record: JSONText) -> [(name: String, value: JSONText)] {
        var result = JSONProjected()
        let bytes = record.bytes
        guard
            (try? JSONScanner.project(projection, from: bytes.span, in: 0..<bytes.count, into: &result)) != nil
        else { return [] }
        return zip(names, result.fields).compactMap { name, field in
            JSONText.text(of: field, in: bytes, collected: result.collected).map { (name, $0) }
        }
    }

    /// Returns the members of a body whose values differ from those in `base`; all members without a base.
    package func members(of record: JSONText, changedSince base: JSONText?) -> [(name: String, value: JSONText)] {
        guard let base else { return members(of: record) }
        let old = Dictionary(
            members(of: base).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return members(of: record).filter { name, value in
            old[name].map { $0.bytes != value.bytes && $0.value != value.value } ?? true
        }
    }
}

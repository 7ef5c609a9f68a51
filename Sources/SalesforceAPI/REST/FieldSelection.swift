// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The fields of a record that go into a request, taken as the bytes that the entry holds.
///
/// A path with dots leads through objects; what it leads to is sent under the path's own text. A missing value is left
/// out, an explicit null is sent.
public struct FieldSelection: Sendable {
    private let names: [String]
    private let projection: JSONProjection

    /// - Parameters:
    ///   - paths: the field list; a path that comes twice counts once.
    ///   - excluded: fields that are never sent, in any case of letters: the id and the modification date.
    public init(_ paths: [String], excluding excluded: [String] = []) {
        let excluded = Set((excluded + ["attributes"]).map { $0.lowercased() })
        var seen: Set<String> = []
        names = paths.filter { !$0.isEmpty && !excluded.contains($0.lowercased()) && seen.insert($0).inserted }
        projection = JSONProjection(names.map { JSONPath($0) })
    }

    /// The members of a body, in the order of the list.
    public func members(of record: JSONText) -> [(name: String, value: JSONText)] {
        var result = JSONProjected()
        let bytes = record.bytes
        guard
            (try? JSONScanner.project(projection, from: bytes.span, in: 0..<bytes.count, into: &result)) != nil
        else { return [] }
        return zip(names, result.fields).compactMap { name, field in
            JSONText.text(of: field, in: bytes, collected: result.collected).map { (name, $0) }
        }
    }
}

extension JSONText {
    /// An object with these members, their texts copied.
    public static func object(_ members: [(name: String, value: JSONText)]) -> JSONText {
        var output: [UInt8] = []
        JSONSplice.append(Array("{}".utf8)[...], removing: [], adding: members.map { ($0.name, $0.value) }, to: &output)
        return JSONText(trusted: output[...])
    }

    /// An array of these texts, copied.
    public static func array(_ elements: [JSONText]) -> JSONText {
        var output = Array("[".utf8)
        output.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += element.bytes
        }
        output.append(UInt8(ascii: "]"))
        return JSONText(trusted: output[...])
    }
}

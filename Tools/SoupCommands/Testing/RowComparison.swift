// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The differences between expected rows and the rows of a soup or of an object.
struct RowComparison {
    let expected: ExpectedRows
    let names: TestNames
    let idField: String

    /// The maximum number of unexpected rows that are listed one by one.
    static let limit = 20

    /// Returns the differences, in the order of the file; first those of expected rows, then unexpected rows.
    func differences(from found: [JSONObject]) -> [TestDifference] {
        let rows = expected.rows.map { row in
            row.fields.members.map { (key: $0.key, value: ExpectedValue($0.value, names: names)) }
        }
        let pairing = RowPairing(rows, with: found, idField: idField)
        let partners = Dictionary(uniqueKeysWithValues: pairing.pairs.map { ($0.expected, $0.found) })
        var differences: [TestDifference] = []
        for (index, row) in rows.enumerated() {
            guard let partner = partners[index] else {
                differences.append(missing(row, at: expected.rows[index].path))
                continue
            }
            for field in row {
                for difference in field.value.differences(
                    from: found[partner][field.key], at: [field.key], names: names)
                {
                    differences.append(
                        self.difference(difference, in: found[partner], at: expected.rows[index].path))
                }
            }
        }
        let unexpected = pairing.unexpected
        differences += unexpected.prefix(Self.limit).map { surplus(found[$0]) }
        if unexpected.count > Self.limit {
            differences.append(
                TestDifference(
                    kind: .unexpected, path: expected.path, subject: subject,
                    message: "\(unexpected.count - Self.limit) more unexpected records"))
        }
        return differences
    }

    private var subject: String {
        switch expected.source {
        case .soup(let soup): "soup \"\(soup)\""
        case .object(let object): "org \(object)"
        }
    }

    private func difference(
        _ difference: ExpectedValue.Difference, in found: JSONObject, at path: [ConfigurationStep]
    ) -> TestDifference {
        let field = difference.path.joined(separator: ".")
        var hint: String?
        if difference.path.count == 1, found[field] == nil {
            hint = NameDistance.nearest(to: field, in: found.keys).map { "Did you mean \"\($0)\"?" }
        }
        return TestDifference(
            kind: .field, path: path + difference.path.map { .key($0) }, subject: subject, record: label(found),
            field: field, expected: difference.expected, found: difference.found,
            message: "\(field): expected \(difference.expected), found \(difference.found)", hint: hint)
    }

    private func missing(_ row: [(key: String, value: ExpectedValue)], at path: [ConfigurationStep]) -> TestDifference {
        let text = ExpectedValue.members(row).text
        return TestDifference(
            kind: .missing, path: path, subject: subject, expected: text, message: "missing record \(text)")
    }

    private func surplus(_ found: JSONObject) -> TestDifference {
        let named = Set(expected.rows.flatMap(\.fields.keys)).subtracting([idField])
        let isOwn: (String) -> Bool = { $0 == "attributes" || $0 == idField || $0.hasPrefix("_") }
        let shown = found.members.filter { member in
            named.isEmpty ? !isOwn(member.key) && !member.value.isNull : named.contains(member.key)
        }
        let text = JSONValue.object(JSONObject(shown)).excerpt
        return TestDifference(
            kind: .unexpected, path: expected.path, subject: subject, record: label(found), found: text,
            message: "unexpected record \(text)")
    }

    /// The name of a record in the test, else its ID.
    private func label(_ found: JSONObject) -> String? {
        found[idField]?.idText.map { names.name(of: $0) ?? $0 }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The kinds of indexes by the names that the developer guide uses.
public let kSoupIndexTypeString = IndexSpec.Kind.string.rawValue
/// Whole numbers, as ``IndexSpec/Kind/integer``.
public let kSoupIndexTypeInteger = IndexSpec.Kind.integer.rawValue
/// Floating-point numbers, as ``IndexSpec/Kind/floating``.
public let kSoupIndexTypeFloating = IndexSpec.Kind.floating.rawValue
/// Text that match queries search, as ``IndexSpec/Kind/fullText``.
public let kSoupIndexTypeFullText = IndexSpec.Kind.fullText.rawValue
/// The result of SQLite's `json_extract`, as ``IndexSpec/Kind/json1``.
public let kSoupIndexTypeJSON1 = IndexSpec.Kind.json1.rawValue

/// An index spec in the form of the developer guide; native code uses ``IndexSpec``.
public struct SoupIndex: Sendable, Hashable {
    /// Keys separated by dots, such as `Owner.Name`.
    public let path: String
    /// One of `string`, `integer`, `floating`, `full_text` and `json1`.
    public let indexType: String
    /// The column name from the caller; the store names its columns itself, and specs that it returns have none.
    public let columnName: String?

    /// Creates a spec; nil if the type, compared without case, is none of the five.
    public init?(path: String, indexType: String, columnName: String? = nil) {
        guard let kind = IndexSpec.Kind(rawValue: indexType.lowercased()) else { return nil }
        self.path = path
        self.indexType = kind.rawValue
        self.columnName = columnName
    }

    init(_ spec: IndexSpec) {
        path = spec.path.rawValue
        indexType = spec.kind.rawValue
        columnName = nil
    }

    /// The spec in the native form.
    public var spec: IndexSpec { IndexSpec(JSONPath(path), IndexSpec.Kind(rawValue: indexType) ?? .string) }
}

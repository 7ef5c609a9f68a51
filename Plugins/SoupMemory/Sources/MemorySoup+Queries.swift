// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension MemorySoup {
    /// A row of a query's result.
    struct Found {
        fileprivate var sortKey: SortKey
        var row: MemoryRow
    }

    /// Returns the rows after an entry, which is identified by its value at the order path and its ID.
    func rows(of spec: QuerySpec, after order: JSONValue, id: Int64) throws -> ArraySlice<Found> {
        let last = SortKey(value: StorageValue(key: order, kind: .json1), id: id)
        return try rows(of: spec).drop { !last.precedes($0.sortKey, in: spec) }
    }

    /// Returns one page of rows, and the position of the rows after it.
    func page(of rows: ArraySlice<Found>, for spec: QuerySpec) throws -> PositionedPage<QueryPage> {
        let found = rows.prefix(spec.pageSize)
        let next = found.count < rows.count ? found.last : nil
        return PositionedPage(
            try page(of: found.map(\.row), for: spec),
            next: next.map { last in
                QueryPosition(
                    .entry(order: last.sortKey.value.json, id: last.row.id), in: spec, backend: MemoryStore.name)
            })
    }

    /// The key by which a query sorts an entry: the value at the order path, then the ID.
    fileprivate struct SortKey {
        var value: StorageValue
        var id: Int64

        /// Returns whether the key precedes another.
        ///
        /// Without an order path the order is by ID, regardless of the direction.
        func precedes(_ other: SortKey, in spec: QuerySpec) -> Bool {
            switch spec.orderPath == nil ? .ascending : spec.order {
            case .ascending: (value, id) < (other.value, other.id)
            case .descending: (value, id) > (other.value, other.id)
            }
        }
    }

    /// Returns the rows of a query, in its order, on all pages.
    ///
    /// - Throws: ``SoupError`` with `notSupported` for queries that need Smart SQL or full text.
    func rows(of spec: QuerySpec) throws -> [Found] {
        let found = try rows.filter(condition(of: spec))
        let values = try PathValueReader(spec.orderPath ?? JSONPath(EntryField.entryId), of: self)
        return found.map { Found(sortKey: SortKey(value: values.value(of: $0), id: $0.id), row: $0) }.sorted {
            $0.sortKey.precedes($1.sortKey, in: spec)
        }
    }

    /// Returns the filter of a query.
    ///
    /// A comparison with null is never true, for a key or a value.
    private func condition(of spec: QuerySpec) throws -> (MemoryRow) -> Bool {
        switch spec.kind {
        case .all: return { _ in true }
        case .exact(let path, let key):
            let values = try PathValueReader(path, of: self)
            let key = values.key(Self.normalizedFlag(key, at: path))
            return { !key.isNull && values.value(of: $0) == key }
        case .range(let path, let begin, let end):
            if begin == nil && end == nil { return { _ in true } }
            let values = try PathValueReader(path, of: self)
            let (begin, end) = (
                begin.map { values.key(Self.normalizedFlag($0, at: path)) },
                end.map { values.key(Self.normalizedFlag($0, at: path)) }
            )
            if begin?.isNull == true || end?.isNull == true { return { _ in false } }
            return { row in
                let value = values.value(of: row)
                return !value.isNull && (begin.map { $0 <= value } ?? true) && (end.map { value <= $0 } ?? true)
            }
        case .like(let path, let key):
            let values = try PathValueReader(path, of: self)
            let pattern = LikePattern(key)
            return { values.value(of: $0).asText.map(pattern.matches) ?? false }
        case .match: throw Self.notSupported("full-text search")
        case .smart: throw Self.notSupported("Smart SQL")
        }
    }

    /// Returns the key with the mobile SDKs' spellings of a local flag converted to booleans.
    private static func normalizedFlag(_ key: JSONValue, at path: JSONPath) -> JSONValue {
        guard EntryField.localFlags.contains(path.rawValue) else { return key }
        switch key {
        case .int(1), .string("1"), .string("true"): return true
        case .int(0), .string("0"), .string("false"): return false
        default: return key
        }
    }

    static func notSupported(_ feature: String) -> SoupError {
        SoupError(.notSupported, "the memory store does not support \(feature)", hint: "Use the backend sqlite.")
    }

    /// Returns the ID of the only entry with a value at an indexed path.
    func lookup(_ value: JSONValue, at path: JSONPath) throws -> Int64? {
        try path.requireValid()
        guard path.rawValue == EntryField.entryId || spec(of: path) != nil else { throw indexNotDefined(path) }
        let values = try PathValueReader(path, of: self)
        let key = values.key(value)
        let found = key.isNull ? [] : rows.filter { values.value(of: $0) == key }
        if found.count > 1 { throw notUnique("\(value)", at: path) }
        return found.first?.id
    }

    func cleanValues(at path: JSONPath, writtenBy syncId: Int64?) throws -> [(id: Int64, value: String)] {
        try path.requireValid()
        let values = try PathValueReader(path, of: self)
        let syncs = try PathValueReader(JSONPath(EntryField.syncId), of: self)
        let wanted = syncId.map { syncs.key(.int($0)) }
        return rows.compactMap { row in
            guard row.isDirty == false, wanted == nil || syncs.value(of: row) == wanted else { return nil }
            return values.value(of: row).asText.map { (row.id, String(decoding: $0, as: UTF8.self)) }
        }
    }
}

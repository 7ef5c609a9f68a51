// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The result of one record of a collection.
struct CollectionResult {
    var id: String?
    /// For upserts: whether the record is new.
    ///
    /// It is set also if the write was rolled back.
    var created: Bool?
    var error: OrgError?

    var json: JSONValue {
        var result = JSONObject()
        if let id, error == nil { result["id"] = .string(id) }
        result["success"] = .bool(error == nil)
        result["errors"] = error?.itemErrors ?? []
        if let created { result["created"] = .bool(created) }
        return .object(result)
    }

    static let rolledBack = OrgError(
        400, "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        message: "Record rolled back because not all records were valid and the request was using AllOrNone header",
        fields: [])
}

/// Writes the records of a collection one by one.
struct CollectionWriter {
    let context: OrgContext
    /// Whether one failure rolls all writes back.
    let isAllOrNone: Bool

    /// Rolls back the writes of a collection, and carries the results of its records.
    private struct Rollback: Error {
        var results: [CollectionResult]
    }

    /// Runs a write for each element and returns the results; an error is the result of its element.
    ///
    /// - Parameter object: returns the name of an element's object, for faults that concern one object.
    func write<Element>(
        _ elements: [Element], object: (Element) -> String?, _ write: (Element) throws -> CollectionResult
    ) throws -> [CollectionResult] {
        do {
            return try context.atomically {
                var results: [CollectionResult] = []
                for (index, element) in elements.enumerated() {
                    do {
                        if let fault = context.faults.itemError(
                            for: element as? JSONValue, at: index, object: object(element))
                        {
                            throw fault
                        }
                        results.append(try write(element))
                    } catch let error as OrgError {
                        results.append(CollectionResult(id: nil, created: nil, error: error))
                    }
                }
                if isAllOrNone, results.contains(where: { $0.error != nil }) { throw Rollback(results: results) }
                return results
            }
        } catch let rollback as Rollback {
            return rollback.results.map { result in
                CollectionResult(
                    id: nil, created: result.created, error: result.error ?? CollectionResult.rolledBack)
            }
        }
    }
}

/// The external IDs of the records of an upsert.
struct CollectionKeys {
    private let field: OrgField

    init(_ field: OrgField) { self.field = field }

    /// Returns the external ID of a record; nil if it has none, or an unusable one.
    func key(of item: JSONObject) -> CellValue? {
        guard field.type != .id, let value = item.value(ignoringCase: field.name),
            let cell = try? FieldCoercion.cell(value, for: field), !cell.isNull
        else { return nil }
        return cell
    }

    /// Returns the form of a key by which keys are compared.
    func folded(_ key: CellValue) -> String {
        switch key {
        case .text(let text): field.isExact ? text : text.uppercased()
        case .int(let value): "\(Double(value))"
        case .real(let value): "\(value)"
        case .null: ""
        }
    }

    /// Returns the keys that several records have: none of these records is written.
    func duplicates(in records: [JSONValue]) -> Set<String> {
        var (seen, duplicates): (Set<String>, Set<String>) = ([], [])
        for item in records.compactMap(\.objectValue) {
            guard let key = key(of: item) else { continue }
            let text = folded(key)
            if !seen.insert(text).inserted { duplicates.insert(text) }
        }
        return duplicates
    }

    /// Returns the text of a key as error messages contain it.
    static func text(_ key: CellValue) -> String {
        switch key {
        case .text(let text): text
        case .int(let value): "\(value)"
        case .real(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .null: ""
        }
    }
}

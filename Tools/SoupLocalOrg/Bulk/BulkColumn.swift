// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A column of bulk data.
struct BulkColumn {
    enum Kind {
        case id
        case field(OrgField)
        /// A reference, by an external ID of the other record.
        case reference(ExternalReference)
    }

    /// The name as the data contain it.
    var name: String
    var kind: Kind

    /// Finds the column with a name: `Name`, `Account.External_Id__c`, or `Lead:Who.Email` for a reference to several
    /// objects.
    ///
    /// - Throws: ``BulkFailure`` if the object has no such field.
    init(_ name: String, of object: OrgObject, schema: OrgSchema) throws(BulkFailure) {
        self.name = name
        if let field = object.field(name) {
            kind = field.type == .id ? .id : .field(field)
            return
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 2 else { throw .batch("Field name not found : \(name)") }
        let path = parts[0].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard path.count <= 2, let reference = object.reference(path[path.count - 1]) else {
            throw .batch(
                path.count == 2 ? "Unable to find relationship: \(path[1])" : "Field name not found : \(name)")
        }
        if path.count == 2, !reference.isPolymorphic {
            throw .batch("type is not needed for non polymorphic foreign key references: \(path[1])")
        }
        let target = path.count == 2 ? path[0] : reference.referenceTo.first ?? ""
        do {
            kind = .reference(try ExternalReference(reference, to: target, by: parts[1], schema: schema))
        } catch {
            throw .batch("Field name not found : \(name)")
        }
    }

    /// Returns the columns of a header.
    ///
    /// - Throws: ``BulkFailure`` for unknown and repeated names, and for a delete with columns other than `Id`.
    static func columns(
        _ header: [String], of object: OrgObject, for operation: BulkOperation, schema: OrgSchema
    ) throws(BulkFailure) -> [BulkColumn] {
        var columns: [BulkColumn] = []
        var seen: Set<String> = []
        for name in header {
            guard seen.insert(name.lowercased()).inserted else { throw .batch("Duplicate field name : \(name)") }
            columns.append(try BulkColumn(name, of: object, schema: schema))
        }
        if operation.isDelete {
            guard columns.count == 1, case .id = columns[0].kind else {
                throw .batch("The '\(operation.rawValue)' batch must contain only ids")
            }
        }
        return columns
    }
}

/// The error of a whole job or batch.
struct BulkFailure: Error {
    var message: String

    static func batch(_ message: String) -> BulkFailure { BulkFailure(message: "InvalidBatch : \(message)") }
    static func input(_ message: String) -> BulkFailure { BulkFailure(message: "ClientInputError : \(message)") }

    static func csv(_ failure: CSVReader.Failure) -> BulkFailure {
        .batch("Failed to parse the CSV in line \(failure.line): \(failure.message)")
    }
}

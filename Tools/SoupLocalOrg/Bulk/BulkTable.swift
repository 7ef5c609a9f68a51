// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// Bulk data in CSV: a header with the names of the columns, and a line for each record.
struct BulkTable {
    /// Empty for a text without a header.
    let columns: [BulkColumn]
    private var reader: CSVReader
    private let hasHeader: Bool

    /// - Throws: ``BulkFailure`` for a header that does not match the object or the operation.
    init(
        _ bytes: [UInt8], format: CSVFormat, operation: BulkOperation, object: OrgObject, schema: OrgSchema
    ) throws(BulkFailure) {
        reader = CSVReader(bytes, delimiter: format.delimiter)
        let header = try Self.line(&reader)
        hasHeader = header != nil
        columns =
            try header.map { names throws(BulkFailure) in
                try BulkColumn.columns(names, of: object, for: operation, schema: schema)
            } ?? []
    }

    /// Whether the text is empty: it has not even a header.
    var isEmpty: Bool { !hasHeader }

    /// Returns the fields of the next record; nil after the last.
    ///
    /// - Throws: ``BulkFailure`` for malformed CSV, and for a record with more or fewer fields than the header.
    mutating func next() throws(BulkFailure) -> [String]? {
        let number = reader.line
        guard let line = try Self.line(&reader) else { return nil }
        guard line.count == columns.count else {
            throw .batch("The record in line \(number) has \(line.count) fields, the header has \(columns.count)")
        }
        return line
    }

    /// Returns whether all lines that were read have the line ending of the format.
    func ends(as format: CSVFormat) -> Bool { format.usesCRLF ? !reader.sawLF : !reader.sawCRLF }

    private static func line(_ reader: inout CSVReader) throws(BulkFailure) -> [String]? {
        do {
            return try reader.next()
        } catch {
            throw .csv(error)
        }
    }
}

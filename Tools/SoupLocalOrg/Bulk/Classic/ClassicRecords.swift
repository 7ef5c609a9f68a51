// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a batch, in one of the three formats.
struct ClassicRecords {
    /// The maximum number of records of a batch.
    private static let maximum = 10_000

    private let records: [BulkRecord]
    private let job: ClassicJob
    private let object: OrgObject

    /// Parses a whole batch, so that nothing is written of a malformed one.
    ///
    /// - Throws: ``BulkFailure`` for a malformed batch.
    init(_ body: [UInt8], of job: ClassicJob, object: OrgObject, schema: OrgSchema) throws(BulkFailure) {
        self.job = job
        self.object = object
        let parser = Parser(job: job, object: object, schema: schema)
        records =
            switch job.contentType {
            case .csv: try parser.csv(body)
            case .json: try parser.json(body)
            case .xml: try parser.xml(body)
            }
        guard records.count <= Self.maximum else {
            throw .batch("The batch has \(records.count) records; \(Self.maximum) is the most")
        }
    }

    /// Writes the records and returns their outcomes.
    func write(_ context: OrgContext) throws -> [BulkOutcome] {
        let writer = BulkRecordWriter(
            context: context, operation: job.operation, object: object, key: job.key.flatMap { object.field($0) })
        return try records.enumerated().map { index, record in try writer.write(record, at: index) }
    }
}

/// Parses the records of a batch.
private struct Parser {
    let job: ClassicJob
    let object: OrgObject
    let schema: OrgSchema

    func csv(_ body: [UInt8]) throws(BulkFailure) -> [BulkRecord] {
        var table = try BulkTable(
            body, format: CSVFormat(), operation: job.operation, object: object, schema: schema)
        guard !table.isEmpty else { throw .batch("Records not found") }
        var records: [BulkRecord] = []
        while let line = try table.next() { records.append(BulkRecord(line, table.columns)) }
        return records
    }

    func json(_ body: [UInt8]) throws(BulkFailure) -> [BulkRecord] {
        guard let items = (try? JSONValue(parsing: body))?.arrayValue else {
            throw .batch("Failed to parse the JSON: it is not an array of records")
        }
        return try records(items)
    }

    private func records(_ items: [JSONValue]) throws(BulkFailure) -> [BulkRecord] {
        var columns: [String: BulkColumn] = [:]
        var records: [BulkRecord] = []
        for item in items {
            guard let members = item.objectValue else { throw .batch("A record is not an object") }
            records.append(try BulkRecord(members, columns: &columns, of: object, schema: schema))
        }
        return records
    }

    func xml(_ body: [UInt8]) throws(BulkFailure) -> [BulkRecord] {
        let root: XMLElement
        do {
            root = try XMLElement.parse(body)
        } catch {
            throw .batch("Failed to parse the XML \(error.description)")
        }
        guard root.name == "sObjects", root.elements.allSatisfy({ $0.name == "sObject" }) else {
            throw .batch("Failed to parse the XML: it is not a list of sObjects")
        }
        return try records(root.elements.map { .object(Self.members(of: $0)) })
    }

    /// Returns the members of a record in XML; an empty element is left out, and one that is nil clears the field.
    private static func members(of element: XMLElement) -> JSONObject {
        var members = JSONObject()
        for field in element.elements where field.name != "type" {
            if field.isNil {
                members[field.name] = .null
            } else if let record = field.first("sObject") {
                members[field.name] = .object(self.members(of: record))
            } else if !field.elements.isEmpty {
                members[field.name] = .object(self.members(of: field))
            } else if !field.text.isEmpty {
                members[field.name] = .string(field.text)
            }
        }
        return members
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The records of a batch, in whichever of the three forms they came.
struct ClassicRecords {
    /// The most records of a batch.
    private static let maximum = 10_000

    private let records: [BulkRecord]
    private let job: ClassicJob
    private let object: OrgObject

    /// Reads a batch as a whole, so that nothing is written of one that cannot be read.
    ///
    /// - Throws: ``BulkFailure``.
    init(_ body: [UInt8], _ job: ClassicJob, _ object: OrgObject, _ schema: OrgSchema) throws(BulkFailure) {
        self.job = job
        self.object = object
        records =
            switch job.contentType {
            case .csv: try Self.csv(body, job, object, schema)
            case .json: try Self.json(body, job, object, schema)
            case .xml: try Self.xml(body, job, object, schema)
            }
        guard records.count <= Self.maximum else {
            throw .batch("The batch has \(records.count) records; \(Self.maximum) is the most")
        }
    }

    func write(_ context: OrgContext) throws -> [BulkOutcome] {
        let key = job.key.flatMap { object.field($0) }
        return try records.enumerated().map { index, record in
            try context.write(record, job.operation, object, key: key, index: index)
        }
    }

    private static func csv(
        _ body: [UInt8], _ job: ClassicJob, _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) -> [BulkRecord] {
        var table = try BulkTable(body, CSVFormat(), job.operation, object, schema)
        guard !table.isEmpty else { throw .batch("Records not found") }
        var records: [BulkRecord] = []
        while let line = try table.next() { records.append(BulkRecord(line, table.columns)) }
        return records
    }

    private static func json(
        _ body: [UInt8], _ job: ClassicJob, _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) -> [BulkRecord] {
        guard let items = (try? JSONValue(parsing: body))?.arrayValue else {
            throw .batch("Failed to parse the JSON: it is not an array of records")
        }
        return try read(items, object, schema)
    }

    private static func read(
        _ items: [JSONValue], _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) -> [BulkRecord] {
        var columns: [String: BulkColumn] = [:]
        var records: [BulkRecord] = []
        for item in items {
            guard let members = item.objectValue else { throw .batch("A record is not an object") }
            records.append(try BulkRecord(members, &columns, of: object, schema))
        }
        return records
    }

    private static func xml(
        _ body: [UInt8], _ job: ClassicJob, _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) -> [BulkRecord] {
        let root: XMLElement
        do {
            root = try XMLElement.parse(body)
        } catch {
            throw .batch("Failed to parse the XML \(error.description)")
        }
        guard root.name == "sObjects", root.elements.allSatisfy({ $0.name == "sObject" }) else {
            throw .batch("Failed to parse the XML: it is not a list of sObjects")
        }
        return try read(root.elements.map { .object(members(of: $0)) }, object, schema)
    }

    /// The members of a record in XML; an empty element says nothing, and one that is nil empties the field.
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

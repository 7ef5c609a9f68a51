// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The three results of an ingest.
struct BulkIngest: Sendable {
    var successful: [UInt8]
    var failed: [UInt8]
    var unprocessed: [UInt8]
    var successes = 0
    var failures = 0

    /// Writes the records of an upload.
    ///
    /// The whole text is parsed before the first record is written: if it is not CSV, nothing is written.
    ///
    /// - Throws: ``BulkFailure`` for an error that fails the whole job.
    init(_ job: BulkJob, object: OrgObject, context: OrgContext) throws {
        let upload = job.upload ?? []
        try Self.check(job, object: object, schema: context.schema)
        var table = try BulkTable(
            upload, format: job.format, operation: job.operation, object: object, schema: context.schema)
        let names = table.columns.map(\.name)
        var successful = CSVWriter(job.format)
        successful.line(["sf__Id", "sf__Created"] + names)
        var failed = CSVWriter(job.format)
        failed.line(["sf__Id", "sf__Error"] + names)
        var unprocessed = CSVWriter(job.format)
        unprocessed.line(names)
        let writer = BulkRecordWriter(
            context: context, operation: job.operation, object: object, key: job.key.flatMap { object.field($0) })
        while let line = try table.next() {
            let outcome = try writer.write(BulkRecord(line, table.columns), at: successes + failures)
            if outcome.isSuccess {
                successes += 1
                successful.line([outcome.id ?? "", outcome.created ? "true" : "false"] + line)
            } else {
                failures += 1
                failed.line([outcome.id ?? "", outcome.text] + line)
            }
        }
        self.successful = successful.bytes
        self.failed = failed.bytes
        self.unprocessed = unprocessed.bytes
    }

    /// Parses the whole upload.
    ///
    /// - Throws: ``BulkFailure`` if it is malformed.
    private static func check(_ job: BulkJob, object: OrgObject, schema: OrgSchema) throws(BulkFailure) {
        var table = try BulkTable(
            job.upload ?? [], format: job.format, operation: job.operation, object: object, schema: schema)
        while try table.next() != nil {}
        guard table.ends(as: job.format) else {
            throw .input(
                "LineEnding is invalid on user data. Current LineEnding setting is \(job.format.lineEndingName)")
        }
    }

    /// Returns the records of an upload that was not processed, each field in quotes; the upload itself if it is not
    /// CSV.
    static func unprocessed(_ job: BulkJob) -> [UInt8] {
        var reader = CSVReader(job.upload ?? [], delimiter: job.format.delimiter)
        var writer = CSVWriter(job.format)
        do {
            while let line = try reader.next() { writer.line(line) }
            return writer.bytes
        } catch {
            return job.upload ?? []
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// What an ingest did, as its three results tell it.
struct BulkIngest: Sendable {
    var successful: [UInt8]
    var failed: [UInt8]
    var unprocessed: [UInt8]
    var successes = 0
    var failures = 0

    /// Runs the records of an upload.
    ///
    /// The whole text is looked at before the first record is written: when it is not CSV, nothing is.
    ///
    /// - Throws: ``BulkFailure`` for what makes the job fail as a whole.
    init(_ job: BulkJob, _ object: OrgObject, _ context: OrgContext) throws {
        let upload = job.upload ?? []
        try Self.check(job, upload, object, context.schema)
        var table = try BulkTable(upload, job.format, job.operation, object, context.schema)
        let names = table.columns.map(\.name)
        var successful = CSVWriter(job.format)
        successful.line(["sf__Id", "sf__Created"] + names)
        var failed = CSVWriter(job.format)
        failed.line(["sf__Id", "sf__Error"] + names)
        var unprocessed = CSVWriter(job.format)
        unprocessed.line(names)
        let key = job.key.flatMap { object.field($0) }
        while let line = try table.next() {
            let outcome = try context.write(
                BulkRecord(line, table.columns), job.operation, object, key: key, index: successes + failures)
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

    /// Reads the whole upload.
    ///
    /// - Throws: ``BulkFailure`` for one that cannot be run.
    private static func check(
        _ job: BulkJob, _ upload: [UInt8], _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) {
        var table = try BulkTable(upload, job.format, job.operation, object, schema)
        while try table.next() != nil {}
        guard table.ends(as: job.format) else {
            throw .input(
                "LineEnding is invalid on user data. Current LineEnding setting is \(job.format.lineEndingName)")
        }
    }

    /// The records of an upload that was not run, each field in quotes; as it came when it is not CSV.
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

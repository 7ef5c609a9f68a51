// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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
        let columns = try Self.checked(job, upload, object, context.schema)
        let names = columns.map(\.name)
        var successful = CSVWriter(job.format)
        successful.line(["sf__Id", "sf__Created"] + names)
        var failed = CSVWriter(job.format)
        failed.line(["sf__Id", "sf__Error"] + names)
        var unprocessed = CSVWriter(job.format)
        unprocessed.line(names)
        let key = job.key.flatMap { object.field($0) }
        var reader = CSVReader(upload, delimiter: job.format.delimiter)
        _ = try reader.next()
        while let line = try reader.next() {
            let outcome = try context.write(
                BulkRecord(line, columns), job.operation, object, key: key, index: successes + failures)
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

    /// The columns of an upload that can be run.
    private static func checked(
        _ job: BulkJob, _ upload: [UInt8], _ object: OrgObject, _ schema: OrgSchema
    ) throws(BulkFailure) -> [BulkColumn] {
        var reader = CSVReader(upload, delimiter: job.format.delimiter)
        do {
            guard let header = try reader.next() else { return [] }
            let columns = try BulkColumn.columns(header, job.operation, object, schema)
            var line = reader.line
            while let record = try reader.next() {
                guard record.count == columns.count else {
                    throw BulkFailure.batch(
                        "The record in line \(line) has \(record.count) fields, the header has \(columns.count)")
                }
                line = reader.line
            }
            guard job.format.usesCRLF ? !reader.sawLF : !reader.sawCRLF else {
                throw BulkFailure.input(
                    "LineEnding is invalid on user data. Current LineEnding setting is \(job.format.lineEndingName)")
            }
            return columns
        } catch let failure as CSVReader.Failure {
            throw .csv(failure)
        } catch let failure as BulkFailure {
            throw failure
        } catch {
            throw .batch("\(error)")
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

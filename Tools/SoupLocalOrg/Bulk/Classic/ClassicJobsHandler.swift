// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/async/{version}/job`: creates jobs.
struct ClassicJobsHandler: ClassicHandler {
    let request: OrgRequest
    let context: OrgContext

    func create() throws -> OrgAnswer {
        let format = ClassicFormat(for: request, in: context)
        let info = try request.classicJobInfo(format)
        guard let operation = info["operation"].flatMap({ BulkOperation(rawValue: $0) }) else {
            throw OrgError(
                400, "InvalidJob", message: "Unable to parse Job: unknown operation \(info["operation"] ?? "null")")
        }
        guard let object = context.schema[info["object"] ?? ""] else {
            throw OrgError(400, "InvalidJob", message: "Unable to find object: \(info["object"] ?? "null")")
        }
        let typeName = info["contentType"] ?? "XML"
        guard let contentType = ClassicJob.ContentType(rawValue: typeName) else {
            throw OrgError(400, "InvalidJob", message: "Unsupported contentType: \(typeName)")
        }
        if contentType == .xml, operation.isQuery {
            throw OrgError(400, "InvalidJob", message: "Queries are answered in CSV and JSON here, not in XML")
        }
        var job = ClassicJob(
            id: "", operation: operation, object: object.name, userId: context.userId,
            created: context.timestamp, modified: context.timestamp, contentType: contentType,
            version: context.versionName)
        if operation == .upsert {
            var body = JSONObject()
            body["externalIdFieldName"] = info["externalIdFieldName"].map { .string($0) }
            do {
                job.key = try object.upsertKey(in: body).name
            } catch let error as OrgError {
                throw OrgError(400, "InvalidJob", message: error.items.first?.message ?? "")
            }
        }
        // Some clients send the number of the mode.
        job.concurrency = ["1", "Serial"].contains(info["concurrencyMode"]) ? "Serial" : "Parallel"
        if operation.isQuery { job.chunkSize = try chunkSize }
        job.id = context.org.bulk.nextId("750")
        context.org.bulk.keep(job)
        return format.answer("jobInfo", job.facts([]), status: 201)
    }

    /// The size of the pieces into which queries are split, from a header: `true`, or `chunkSize=1000; parent=Account`.
    private var chunkSize: Int? {
        get throws {
            guard let text = request.header("Sforce-Enable-PKChunking")?.lowercased(), text != "false" else {
                return nil
            }
            for part in text.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = part.split(separator: UInt8(ascii: "=")).map { half in
                    String(decoding: half.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
                }
                guard pair.first == "chunksize" else { continue }
                guard let size = Int(pair.last ?? ""), (1...250_000).contains(size) else {
                    throw OrgError(400, "InvalidJob", message: "chunkSize must be from 1 to 250000")
                }
                return size
            }
            return 100_000
        }
    }
}

extension OrgRequest {
    /// Returns the members of a body that describes a job.
    func classicJobInfo(_ format: ClassicFormat) throws -> [String: String] {
        if format.isJSON {
            guard let object = try? jsonObject() else {
                throw OrgError(400, "InvalidJob", message: "Unable to parse Job")
            }
            return Dictionary(object.members.map { ($0.key, $0.value.stringValue ?? $0.value.description) }) { $1 }
        }
        do {
            let root = try XMLElement.parse(body)
            guard root.name == "jobInfo" else {
                throw OrgError(400, "InvalidJob", message: "Unable to parse Job")
            }
            return Dictionary(root.elements.map { ($0.name, $0.text) }) { $1 }
        } catch let failure as XMLReader.Failure {
            throw OrgError(400, "InvalidJob", message: "Unable to parse Job \(failure.description)")
        }
    }
}

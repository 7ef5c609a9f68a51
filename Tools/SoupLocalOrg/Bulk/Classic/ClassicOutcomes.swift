// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The results of the records of a batch.
struct ClassicOutcomes {
    private let outcomes: [BulkOutcome]

    init(_ outcomes: [BulkOutcome]) { self.outcomes = outcomes }

    func body(_ type: ClassicJob.ContentType) -> [UInt8] {
        switch type {
        case .csv: csv
        case .json: json
        case .xml: xml
        }
    }

    private var csv: [UInt8] {
        var writer = CSVWriter()
        writer.line(["Id", "Success", "Created", "Error"])
        for outcome in outcomes {
            let isSuccess = outcome.isSuccess
            writer.line([
                isSuccess ? outcome.id ?? "" : "", "\(isSuccess)", "\(isSuccess && outcome.created)", outcome.text,
            ])
        }
        return writer.bytes
    }

    private var json: [UInt8] {
        var output = JSONOutput()
        output.append(
            json: .array(
                outcomes.map { outcome in
                    [
                        "success": .bool(outcome.isSuccess), "created": .bool(outcome.isSuccess && outcome.created),
                        "id": outcome.isSuccess ? outcome.id.map { .string($0) } ?? .null : .null,
                        "errors": .array(outcome.errors.map(Self.json)),
                    ]
                }))
        return output.bytes
    }

    private static func json(_ item: OrgError.Item) -> JSONValue {
        [
            "message": .string(item.message), "fields": .array((item.fields ?? []).map { .string($0) }),
            "statusCode": .string(item.code), "extendedErrorDetails": nil,
        ]
    }

    private var xml: [UInt8] {
        var writer = XMLWriter()
        writer.element("results", attributes: ClassicFormat.attributes) { writer in
            for outcome in outcomes {
                writer.element("result") { writer in
                    for item in outcome.errors {
                        writer.element("errors") { writer in
                            for field in item.fields ?? [] { writer.element("fields", field) }
                            writer.element("message", item.message)
                            writer.element("statusCode", item.code)
                        }
                    }
                    if outcome.isSuccess, let id = outcome.id { writer.element("id", id) }
                    writer.element("success", "\(outcome.isSuccess)")
                    writer.element("created", "\(outcome.isSuccess && outcome.created)")
                }
            }
        }
        return writer.bytes
    }
}

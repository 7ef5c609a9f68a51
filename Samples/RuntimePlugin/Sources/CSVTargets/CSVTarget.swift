// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore

/// A target whose records are the lines of a text file with values separated by commas; the first line names the fields.
public struct CSVTarget: SyncDownTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var file: String
        var idField: String
    }

    /// The `type` in a `target` object.
    public static let name: PluginName = "csv"
    /// A target object for `soup targets csv --sample`.
    public static let sample = try? JSONText(#"{"type": "csv", "file": "stations.csv", "idField": "code"}"#)

    /// The field with the ID of a record.
    public let idField: String
    private let file: String

    /// Creates the target of a sync; the file is read when the sync runs.
    public init(configuration: Configuration) {
        (file, idField) = (configuration.file, configuration.idField)
    }

    /// Returns one page with all lines.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for a line with too few or too many values, or a file without the
    ///   field of the ID; the errors of reading files.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let records = try records()
        return RecordPage(RecordBatch(try records.map { try JSONText($0) }), totalSize: records.count)
    }

    /// Returns the IDs that the file contains.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        Set(try records().compactMap { $0[idField]?.stringValue }).intersection(ids)
    }

    private func records() throws -> [JSONValue] {
        let lines = try String(contentsOf: URL(filePath: file), encoding: .utf8).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        guard let fields = lines.first, fields.contains(idField) else {
            throw error("the first line has no field \"\(idField)\"", in: 1)
        }
        return try zip(2..., lines.dropFirst()).map { number, values in
            guard values.count == fields.count else {
                throw error("the line has \(values.count) values, and the first line has \(fields.count)", in: number)
            }
            return .object(JSONObject(zip(fields, values).map { ($0, .string($1)) }))
        }
    }

    private func error(_ message: String, in line: Int) -> SoupError {
        SoupError(.badConfiguration, message, place: SoupError.Place(file: file, line: line))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore

/// A target whose records are the JSON files of a folder; the name of a file is the ID of its record.
public struct JSONFilesTarget: SyncDownTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var folder: String
    }

    /// The `type` in a `target` object.
    public static let name: PluginName = "jsonFiles"
    /// A target object for `notes targets jsonFiles --sample`.
    public static let sample = try? JSONText(#"{"type": "jsonFiles", "folder": "Notes"}"#)

    /// The member with the name of the file.
    public let idField = "id"

    private let folder: URL

    /// Creates the target of a sync; the folder need not exist yet.
    public init(configuration: Configuration) {
        folder = URL(filePath: configuration.folder, directoryHint: .isDirectory)
    }

    /// Returns one page with all files.
    ///
    /// - Throws: ``SoupError`` with `json` for a file that is not a JSON object; the errors of reading files.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let records = try names().map { name in
            let file = folder.appending(path: "\(name).json")
            let record = try JSONText(Array(Data(contentsOf: file))[...])
            guard record.members != nil else {
                throw SoupError(
                    .json, "the file does not contain a JSON object", place: SoupError.Place(file: file.path))
            }
            return record.setting([(name: idField, value: .string(name))])
        }
        return RecordPage(RecordBatch(records), totalSize: records.count)
    }

    /// Returns the IDs that have a file.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        Set(try names()).intersection(ids)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }
}

/// Registers the target.
public struct JSONFilesModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module.
    public init() {}

    /// - Throws: ``SoupError`` with `registry` if the name is taken.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: JSONFilesTarget.self)
    }
}

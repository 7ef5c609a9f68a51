// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation

/// A temporary configuration folder, which is removed with the last reference to it.
final class WorkFolder: Sendable {
    let path: String
    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    init(_ files: [String: String] = [:]) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "SoupCommandsTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        for (name, text) in files { try write(text, to: name) }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path).appending(path: name))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Two soups, one of them with the indexes that syncs need.
    static let store = #"""
        {"soups": [
          {"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"}, {"path": "LastName", "type": "string"},
            {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]},
          {"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}
        ]}
        """#

    /// A sync down and a sync up of contacts.
    static let syncs = #"""
        {"syncs": [
          {"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
           "target": {"type": "soql", "query": "SELECT FirstName, LastName, Title FROM Contact"},
           "options": {"mergeMode": "OVERWRITE"}},
          {"syncName": "up", "syncType": "syncUp", "soupName": "contacts",
           "target": {"createFieldlist": ["FirstName", "LastName", "Title"]},
           "options": {"mergeMode": "LEAVE_IF_CHANGED", "fieldlist": ["FirstName", "LastName", "Title"]}}
        ]}
        """#
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A temporary folder for a test; it is removed with its last reference.
package final class TemporaryFolder: Sendable {
    /// The path, without a slash at its end.
    package let path: String
    /// The path as a file URL.
    package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// Creates the folder with files, by their names.
    package init(_ files: [String: String] = [:]) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "SoupKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file that only this user can read, as an `org.json` with secrets must be.
    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + "/" + name)
    }

    /// The names of the files, sorted.
    package var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}

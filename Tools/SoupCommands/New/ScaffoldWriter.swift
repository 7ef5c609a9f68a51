// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// A writer of the files of a new plug-in: all of them, or none.
struct ScaffoldWriter {
    /// The clone, or the folder of the package.
    let folder: URL

    /// Creates the files, and adds the lines.
    ///
    /// - Returns: the paths of the created files, and of the changed ones.
    /// - Throws: ``SoupError`` with `badArgument` if a file exists already, or a file has no place for a line: nothing
    ///   is written then. Errors of the file system.
    func write(_ scaffold: Scaffold) throws -> (created: [String], changed: [String]) {
        let files = scaffold.files
        for file in files where FileManager.default.fileExists(atPath: url(file.path).path) {
            throw SoupError(
                "badArgument", "\(url(file.path).path) exists already", hint: "Choose another name, or remove it.")
        }
        var changed: [(path: String, text: String)] = []
        for edit in scaffold.edits {
            let index = changed.firstIndex { $0.path == edit.path } ?? changed.endIndex
            if index == changed.endIndex {
                changed.append((edit.path, try String(contentsOf: url(edit.path), encoding: .utf8)))
            }
            changed[index].text = try edit.applied(to: changed[index].text)
        }
        for file in files {
            let place = url(file.path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: place, options: .withoutOverwriting)
        }
        for file in changed { try Data(file.text.utf8).write(to: url(file.path), options: .atomic) }
        return (files.map(\.path), changed.map(\.path))
    }

    private func url(_ path: String) -> URL { folder.appending(path: path) }
}

#endif

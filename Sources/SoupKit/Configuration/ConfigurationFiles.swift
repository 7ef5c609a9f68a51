// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A reader for the files of a folder.
struct ConfigurationFiles: Sendable {
    let folder: String

    /// The result of reading a file.
    enum Contents {
        case absent
        case present([UInt8])
        case unreadable(ConfigurationProblem)
    }

    init(_ folder: String) { self.folder = folder.isEmpty ? "." : folder }

    func path(_ file: String) -> String { folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)" }

    func read(_ file: String) -> Contents {
        guard FileManager.default.fileExists(atPath: path(file)) else { return .absent }
        do {
            return .present(Array(try Data(contentsOf: URL(filePath: path(file)))))
        } catch {
            return .unreadable(
                ConfigurationProblem(
                    at: SoupError.Place(file: file, line: 1, column: 1), "the file cannot be read",
                    hint: "Check that it is a file, and that you have permission to read it."))
        }
    }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: path(file)) }

    /// Whether the user may list the folder and open its files.
    var isReadable: Bool {
        FileManager.default.isReadableFile(atPath: folder) && FileManager.default.isExecutableFile(atPath: folder)
    }

    /// The folder of the file if the given path is a file and not a folder; otherwise nil.
    var parentOfFile: String? {
        var isFolder = false
        let isFile = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && !isFolder
        guard isFile else { return nil }
        return folder.contains("/") ? URL(filePath: folder).deletingLastPathComponent().filePath : "."
    }

    var exists: Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder
    }
}

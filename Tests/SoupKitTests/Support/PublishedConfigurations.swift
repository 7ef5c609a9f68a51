// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The configuration files of published apps, unchanged from their repositories.
enum PublishedConfigurations {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/real-configs")
        .path

    /// The apps that have files: the part of the file names before the last two underscores.
    static let apps: [String] =
        Set(
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { file in
                file.range(of: "__", options: .backwards).map { String(file[..<$0.lowerBound]) }
            }
        ).sorted()

    /// Returns the files of an app under their names in a configuration folder.
    static func files(of app: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix(app + "__") {
            files[String(file.dropFirst(app.count + 2))] = try String(
                contentsOf: URL(filePath: folder + "/" + file), encoding: .utf8)
        }
        return files
    }
}

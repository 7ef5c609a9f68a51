// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A path without a folder, whose folder is removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "CredentialStoresTests-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permissions of a file, or of the folder for an empty name, as octal digits.
    func mode(of name: String = "") throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: name.isEmpty ? path : "\(path)/\(name)")
        return String(attributes[.posixPermissions] as? Int ?? 0, radix: 8)
    }

    func setMode(_ mode: Int, of name: String = "") throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: name.isEmpty ? path : "\(path)/\(name)")
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(name)")), as: UTF8.self)
    }

    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

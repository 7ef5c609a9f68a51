// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import SoupCore

/// The files of a page that a server offers beside its endpoints.
package struct PageFiles: Sendable {
    /// The content of a file, and its type for browsers.
    package struct File: Sendable, Hashable {
        package var bytes: [UInt8]
        package var type: String
    }

    private let read: @Sendable (_ name: String) -> [UInt8]?

    /// Creates the files of a folder, without its subfolders; each request reads the file again.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` if the folder has no `index.html`.
    package init(folder: URL, adding files: [String: [UInt8]] = [:]) throws {
        read = { name in
            if let file = files[name] { return file }
            return Self.content(of: name, in: folder)
        }
        guard file(at: "/") != nil else {
            throw SoupError(
                .badConfiguration, "the folder \(folder.path) has no index.html",
                hint: "Use the folder with the files of the page.")
        }
    }

    /// Creates files from their contents.
    package init(_ files: [String: [UInt8]]) { read = { files[$0] } }

    /// Returns the file at a path; nil for an unknown one, and for any path that could leave the folder.
    func file(at path: String) -> File? {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        guard path.hasPrefix("/"), Self.isName(name), let type = Self.type(of: name), let bytes = read(name) else {
            return nil
        }
        return File(bytes: bytes, type: type)
    }

    /// Returns the content of a file; nil for a link to another folder, and for the files of a configuration.
    private static func content(of name: String, in folder: URL) -> [UInt8]? {
        let file = folder.appending(path: name).resolvingSymlinksInPath()
        guard file.deletingLastPathComponent().path == folder.resolvingSymlinksInPath().path,
            !configurationFiles.contains(file.lastPathComponent.lowercased())
        else { return nil }
        return (try? Data(contentsOf: file)).map { Array($0) }
    }

    private static let configurationFiles: Set<String> = [
        "org.json", "userstore.json", "usersyncs.json", "globalstore.json", "globalsyncs.json",
    ]

    /// Returns whether a name is that of a file in the folder itself, and not hidden.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "json": "application/json"
        default: nil
        }
    }

    /// The policy for the page: everything comes from this server, and nothing is written into the page as code.
    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

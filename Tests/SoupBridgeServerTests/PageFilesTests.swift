// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupBridgeServer

@Suite struct PageFilesTests {
    @Test func `Only the files in the folder itself are served`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "SoupKitTests-\(UUID().uuidString)/page")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        for name in ["index.html", "app.js", ".hidden.js", "notes.txt", "org.json", "../outside.js"] {
            try Data(name.utf8).write(to: folder.appending(path: name))
        }
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "link.js"), withDestinationURL: folder.appending(path: "../outside.js"))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "same.json"), withDestinationURL: folder.appending(path: "org.json"))
        let files = try PageFiles(folder: folder, adding: ["soupkit.js": Array("added".utf8)])
        #expect(files.file(at: "/")?.type == "text/html; charset=utf-8")
        #expect(
            files.file(at: "/app.js")
                == PageFiles.File(bytes: Array("app.js".utf8), type: "text/javascript; charset=utf-8"))
        #expect(files.file(at: "/soupkit.js")?.bytes == Array("added".utf8))
        for path in [
            "/../outside.js", "/%2e%2e/outside.js", "/.hidden.js", "/notes.txt", "/none.js", "app.js", "", "//app.js",
            "/org.json", "/link.js", "/same.json",
        ] {
            #expect(files.file(at: path) == nil, "\(path)")
        }
    }

    @Test func `A folder without a page is an error`() {
        #expect { try PageFiles(folder: URL(filePath: "/nowhere")) } throws: {
            ($0 as? SoupError)?.code == .badConfiguration
        }
    }
}

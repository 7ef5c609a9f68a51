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
        for name in ["index.html", "app.js", ".hidden.js", "notes.txt", "../outside.js"] {
            try Data(name.utf8).write(to: folder.appending(path: name))
        }
        let files = try PageFiles(folder: folder, adding: ["soupkit.js": Array("added".utf8)])
        #expect(files.file(at: "/")?.type == "text/html; charset=utf-8")
        #expect(
            files.file(at: "/app.js")
                == PageFiles.File(bytes: Array("app.js".utf8), type: "text/javascript; charset=utf-8"))
        #expect(files.file(at: "/soupkit.js")?.bytes == Array("added".utf8))
        for path in [
            "/../outside.js", "/%2e%2e/outside.js", "/.hidden.js", "/notes.txt", "/none.js", "app.js", "", "//app.js",
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

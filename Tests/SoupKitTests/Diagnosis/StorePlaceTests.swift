// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@testable import SoupKit

@Suite struct StorePlaceTests {
    private func lines(_ place: StorePlace) -> [String] {
        place.problems.map { "\($0.status) \($0.message)" }
    }

    @Test func `A file with enough space has no problems`() {
        let place = StorePlace(
            file: "/d/a.db", exists: true, isFolderWritable: true, freeBytes: 500_000_000, size: 12_000_000)
        #expect(lines(place) == [] && place.description == "/d/a.db, 12 MB")
    }

    @Test func `A file in a folder without write access is a failure`() {
        let place = StorePlace(file: "/d/a.db", exists: false, isFolderWritable: false, freeBytes: nil)
        #expect(!place.canBeCreated)
        #expect(lines(place) == ["failure /d/a.db does not exist, and the folder /d is not writable"])
    }

    @Test(
        arguments: [
            (9_999, Int64(0), "failure only 9999 bytes are free on the volume of /d"),
            (99_999_999, 0, "warning only 99 MB are free on the volume of /d"),
            (400_000_000, 500_000_000, "warning only 400 MB are free on the volume of /d"),
        ] as [(Int64, Int64, String)])
    func `Little space is reported`(free: Int64, size: Int64, expected: String) {
        let place = StorePlace(file: "/d/a.db", exists: true, isFolderWritable: true, freeBytes: free, size: size)
        #expect(lines(place).last == expected)
    }

    /// The system functions report numbers in different types.
    @Test func `The facts of a real file are read`() throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 7, count: 1234).write(to: folder.url.appending(path: "a.db"))
        let place = StorePlace(file: folder.url.appending(path: "a.db").path, createsFolders: false)
        #expect(place.exists && place.isFolderWritable && place.size == 1234)
        #expect(try #require(place.freeBytes) > 0)
        let path = folder.url.appending(path: "x/y/b.db").path
        let missing = StorePlace(file: path, createsFolders: true)
        #expect(!missing.exists && missing.isFolderWritable && missing.freeBytes != nil)
        #expect(missing.folder == place.folder && missing.canBeCreated && missing.problems == [])
        // Only a path from the options creates folders.
        let configured = StorePlace(file: path, createsFolders: false)
        #expect(!configured.canBeCreated)
        #expect(lines(configured).first?.hasSuffix("/x/y does not exist") == true, "\(lines(configured))")
    }
}

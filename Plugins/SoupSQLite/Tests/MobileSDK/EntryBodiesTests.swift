// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupSQLite

@Suite struct EntryBodiesTests {
    @Test(arguments: [
        ("/data/smartstore.db", ["/data/smartstore.db_external_soup_blobs", "/data/smartstore_external_soup_blobs"]),
        ("/a.b/store", ["/a.b/store_external_soup_blobs"]),
        (".db", [".db_external_soup_blobs"]),
    ]) func `The folders have the name of the database`(_ file: String, _ folders: [String]) {
        #expect(EntryBodies.standardFolders(ofFile: file) == folders)
    }
}

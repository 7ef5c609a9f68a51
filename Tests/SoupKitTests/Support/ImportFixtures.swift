// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupTestApp

/// Databases of an app of the mobile SDKs, for tests of the import.
enum ImportFixtures {
    /// A soup with an index of every type, with deleted entries, local changes and unusual texts.
    static func contacts(entries: [MobileSDKFixture.Entry]? = nil) -> MobileSDKFixture.Soup {
        MobileSDKFixture.Soup(
            "contacts",
            [
                ("Id", "string"), ("age", "integer"), ("score", "floating"), ("notes", "full_text"),
                ("address.city", "json1"), ("__local__", "string"), ("__sync_id__", "integer"),
            ],
            entries: entries ?? [
                .init(
                    2, created: 1_000, lastModified: 1_000,
                    members: #""Id":"003A","age":42,"score":1.50,"notes":"two words","address":{"city":"Ulm"},"#
                        + #""__local__":false,"__locally_created__":false,"__locally_updated__":false,"#
                        + #""__locally_deleted__":false,"__sync_id__":1"#),
                .init(
                    3, created: 1_000, lastModified: 5_000,
                    members: #""Id":"003B","age":7,"score":2e3,"notes":"edit\/ed Ümlaut","big":12345678901234567890,"#
                        + #""__local__":true,"__locally_created__":false,"__locally_updated__":true,"#
                        + #""__locally_deleted__":false,"__sync_id__":1"#),
                // An app in JavaScript that writes flags as numbers.
                .init(
                    7, created: 6_000, lastModified: 6_001,
                    members: #""Id":"local_1","notes":"new","__local__":1,"__locally_created__":"1","#
                        + #""__locally_deleted__":0"#),
                .init(
                    9, created: 7_000, lastModified: 7_000,
                    text: "{\n  \"Id\" : \"003C\",\n  \"__local__\" : true, \"__locally_deleted__\": true,\n"
                        + "  \"_soupEntryId\" : 9,\n  \"_soupLastModifiedDate\" : 7000\n}"),
            ], lastId: 12)
    }

    /// The entries of ``contacts(entries:)`` as ``SmartStore/importedState(of:)`` returns them.
    static let contactsState = [
        "2 created 1000 modified 1000 "
            + #"{"Id":"003A","age":42,"score":1.50,"notes":"two words","address":{"city":"Ulm"},"__local__":false,"#
            + #""__locally_created__":false,"__locally_updated__":false,"__locally_deleted__":false,"__sync_id__":1}"#,
        "3 created 1000 modified 5000 "
            + #"{"Id":"003B","age":7,"score":2e3,"notes":"edit\/ed Ümlaut","big":12345678901234567890,"__local__":true,"#
            + #""__locally_created__":false,"__locally_updated__":true,"__locally_deleted__":false,"__sync_id__":1}"#,
        "7 created 6000 modified 6001 "
            + #"{"Id":"local_1","notes":"new","__local__":true,"__locally_created__":true,"__locally_deleted__":false}"#,
        "9 created 7000 modified 7000 {\n  \"Id\" : \"003C\",\n  \"__local__\" : true, \"__locally_deleted__\": true}",
    ]

    /// The soup of the syncs, with the rows of an app.
    static func syncs(_ rows: [String], types: String = "json1") -> MobileSDKFixture.Soup {
        MobileSDKFixture.Soup(
            "syncs_soup", [("type", types), ("name", types), ("status", types)],
            entries: rows.enumerated().map { position, row in
                .init(Int64(position + 1), created: 500, lastModified: 900, members: row)
            })
    }
}

extension SmartStore {
    /// Returns the entries of a soup with their dates, one per line.
    func importedState(of soup: SoupName) async throws -> [String] {
        let entries = try await read { try $0.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 10_000)).entries }
        let created = try await read { reader in
            let sql = "select {\(soup):_soupEntryId}, {\(soup):_soupCreatedDate} from {\(soup)}"
            return try reader.query(.smart(sql, pageSize: 10_000)).rows.compactMap { row in
                row.value.arrayValue.map { ($0[0].intValue ?? 0, $0[1].intValue ?? 0) }
            }
        }
        let dates = Dictionary(uniqueKeysWithValues: created)
        return entries.map { "\($0.id) created \(dates[$0.id] ?? -1) modified \($0.version) \($0.stored)" }
    }
}

/// The content of a file and of the files beside it, to check that nothing has changed.
func contents(ofFolder path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
        contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
    }
    return contents
}

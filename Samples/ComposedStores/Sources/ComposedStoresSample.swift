// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupLocalOrg

/// Syncs two soups, which `Config/userstore.json` keeps in different stores.
///
/// Nothing here depends on where a soup is: the same code runs with one SQLite file for all soups. The argument is the
/// folder of another configuration.
@main
struct ComposedStoresSample {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ComposedStores-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // The server is a local org in this process.
        let org = try LocalOrg(seed: .medium)
        let options = SoupClient.Options(
            store: folder.appending(path: "app.db"), transport: org.authorizedTransport, environment: [:])

        print("== First start")
        let configuration = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Config")
        let first = try await SoupClient.open(at: configuration, options: options)
        for name in ["contacts", "recent"] {
            print("\(name): \(try await first.syncs.reSync(named: name).result.saved) saved")
        }

        // One write changes both soups, and is kept in both stores or in none.
        try await first.store.write { writer in
            let note = RecordBatch([try JSONText(#"{"LastName": "Note"}"#)])
            try writer.upsert(note, into: "contacts")
            try writer.upsert(note, into: "recent")
        }
        try await printCounts(of: first)
        print("files: \(try files(in: folder))")
        try await first.close()

        print("\n== Second start")
        let second = try await SoupClient.open(at: configuration, options: options)
        try await printCounts(of: second)
        try await second.close()
    }

    /// Prints the number of entries of both soups, from one snapshot.
    static func printCounts(of kit: SoupClient) async throws {
        let counts = try await kit.store.read { (try $0.count(.all("contacts")), try $0.count(.all("recent"))) }
        print("contacts: \(counts.0) entries, recent: \(counts.1) entries")
    }

    static func files(in folder: URL) throws -> String {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".db") }.sorted()
            .joined(separator: ", ")
    }
}

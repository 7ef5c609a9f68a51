// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupTestApp
import SoupTesting
import Testing

/// Databases with random damages: an import is complete or throws, and never changes the store or the file then.
@Suite struct DamagedImportTests {
    /// A generator whose numbers depend on its seed only.
    struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Returns a database whose tables have several pages.
    static func database() throws -> Data {
        let folder = try TemporaryFolder()
        let entries = (1...300).map { number in
            MobileSDKFixture.Entry(
                Int64(number), created: 1_000, lastModified: 2_000,
                members: #""Id":"\#(number)","age":\#(number),"#
                    + #""notes":"\#(String(repeating: "word ", count: number % 40))""#)
        }
        let file = folder.url.appending(path: "smartstore.db")
        try MobileSDKFixture(
            .android,
            [
                ImportFixtures.contacts(entries: entries),
                ImportFixtures.syncs([#""type":"syncDown","name":"down","soupName":"contacts","status":"DONE""#]),
            ]
        ).write(to: file)
        return try Data(contentsOf: file)
    }

    /// Damages a database: truncates it, or changes single bytes or a block.
    static func damage(_ data: inout Data, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: data = data.prefix(Int.random(in: 1..<data.count, using: &random))
        case 1:
            let start = Int.random(in: 0..<data.count, using: &random)
            for position in start..<min(data.count, start + Int.random(in: 1..<600, using: &random)) {
                data[position] = UInt8.random(in: 0...255, using: &random)
            }
        default:
            // Half of the changes are in the pages of the schema and of the small tables.
            let end = Bool.random(using: &random) ? data.count : min(data.count, 12 * 4096)
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                data[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    @Test(arguments: 0..<4) func `A damaged file is imported whole or not at all`(_ seed: UInt64) async throws {
        let intact = try Self.database()
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "smartstore.db")
        var random = SeededGenerator(state: seed)
        var outcomes: [String: Int] = [:]
        for _ in 0..<60 {
            var data = intact
            Self.damage(&data, &random)
            try data.write(to: file)
            let target = folder.path + "/\(UUID().uuidString).sqlite"
            let store = SmartStore(try await SQLiteStore.open(.init(path: target)))
            do {
                let result = try await store.importSmartStore(file, importing: .init(skipsUnreadable: true))
                for soup in result.soups { #expect(try await store.count(.all(soup.name)) == soup.entries) }
                outcomes["imported", default: 0] += 1
            } catch let error as SoupError {
                #expect(error.hint != nil, "\(error)")
                #expect(try await store.soupNames() == [])
                outcomes[error.code.rawValue, default: 0] += 1
            }
            try await store.close()
            #expect(try folder.files.filter { $0.hasPrefix("smartstore") } == ["smartstore.db"])
            #expect(try Data(contentsOf: file) == data)
        }
        // Damages of both kinds occurred.
        #expect((outcomes["imported"] ?? 0) > 0 && (outcomes["importUnusable"] ?? 0) > 10, "\(outcomes)")
    }
}

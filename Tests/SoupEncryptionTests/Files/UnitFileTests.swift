// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct UnitFileTests {
    private static let layouts: [UnitLayout] = [.uniform(512), .log(pageSize: 512)]

    @Test(arguments: layouts, 0..<20 as Range<UInt64>)
    func `Random reads and writes have the result of a plain file`(layout: UnitLayout, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let file = UnitFile(MemoryRawFile(), key: DataKey(), kind: .database, layout: layout, start: 100)
        let plain = MemoryRawFile()
        for _ in 0..<150 {
            let offset = Int64.random(in: 0..<4000, using: &random)
            let bytes = (0..<Int.random(in: 0..<1500, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                try file.truncate(to: offset)
                try plain.truncate(to: offset)
            case 1, 2:
                try file.write(bytes, at: offset)
                if !bytes.isEmpty { try bytes.withUnsafeBytes { try plain.write($0, at: offset) } }
            default:
                let unit = layout.unit(at: offset)
                let aligned = Array(bytes.prefix(unit.length))
                try file.write(aligned, at: unit.start)
                if !aligned.isEmpty { try aligned.withUnsafeBytes { try plain.write($0, at: unit.start) } }
            }
            #expect(try file.size() == plain.size())
            #expect(try file.content(0..<6000) == plain.bytes)
            let start = Int64.random(in: 0..<5000, using: &random)
            let expected = Array(plain.bytes.dropFirst(Int(start)).prefix(700))
            #expect(try file.content(start..<start + 700) == expected)
        }
        #expect(file.raw.bytes.count == 100 + layout.storedLength(content: try plain.size()))
    }

    @Test func `Content is not in the stored bytes`() throws {
        let file = UnitFile(MemoryRawFile(), key: DataKey(), kind: .temporary, layout: .uniform(512))
        let text = Array("a text that must not be readable".utf8)
        try file.write(text, at: 500)
        #expect(file.raw.bytes.count == 2 * UnitCipher.overhead + 500 + text.count)
        #expect(!file.raw.bytes.indices.contains { file.raw.bytes[$0...].starts(with: text.prefix(8)) })
    }

    @Test func `A damaged unit fails reads of it, and no others`() throws {
        let file = UnitFile(MemoryRawFile(), key: DataKey(), kind: .database, layout: .uniform(512))
        try file.write([UInt8](repeating: 7, count: 1536), at: 0)
        file.raw.bytes[700] ^= 1
        #expect(try file.content(0..<512).count == 512)
        #expect(try file.content(1024..<1536).count == 512)
        #expect(throws: UnitIsDamaged(index: 1)) { try file.content(500..<600) }
        // A part of it cannot be replaced, but all of it can.
        #expect(throws: UnitIsDamaged(index: 1)) { try file.write([1], at: 600) }
        try file.write([UInt8](repeating: 8, count: 512), at: 512)
        #expect(try file.content(512..<513) == [8])
    }

    @Test func `A unit of zeros in the middle is damage`() throws {
        let file = UnitFile(MemoryRawFile(), key: DataKey(), kind: .database, layout: .uniform(512))
        try file.write([UInt8](repeating: 7, count: 1536), at: 0)
        file.raw.bytes.replaceSubrange(552..<1104, with: repeatElement(0, count: 552))
        #expect(throws: UnitIsDamaged(index: 1)) { try file.content(512..<1024) }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Foundation
import Testing

@testable import SoupEncryption

@Suite struct UnitCipherTests {
    @Test func `Another writer with the same key reads a unit`() throws {
        let key = DataKey()
        let stored = try UnitCipher(key, .database).seal([1, 2, 3], at: 7)
        #expect(try UnitCipher(key, .database).open(stored, at: 7) == [1, 2, 3])
    }

    @Test func `A unit is valid only at its place`() throws {
        let key = DataKey()
        let stored = try UnitCipher(key, .database).seal([1, 2, 3], at: 7)
        let others: [(UnitCipher, UInt64)] = [
            (UnitCipher(key, .database), 8), (UnitCipher(key, .log), 7), (UnitCipher(DataKey(), .database), 7),
            (UnitCipher(DataKey(key: key.key, file: FileIdentity()), .database), 7),
        ]
        for (cipher, index) in others {
            #expect(throws: UnitIsDamaged(index: index)) { try cipher.open(stored, at: index) }
        }
    }

    @Test func `Every changed bit is found`() throws {
        let cipher = UnitCipher(DataKey(), .log)
        let stored = try cipher.seal(Array("content".utf8), at: 0)
        for bit in 0..<stored.count * 8 {
            var changed = stored
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: UnitIsDamaged(index: 0)) { try cipher.open(changed, at: 0) }
        }
    }

    /// One page; with `SOUPKIT_TORTURE` in the environment, all pages of a store of 1 MB.
    @Test func `Every changed bit of a page is found`() throws {
        let pages = ProcessInfo.processInfo.environment["SOUPKIT_TORTURE"] == nil ? 1 : 128
        let cipher = UnitCipher(DataKey(), .database)
        let content = [UInt8](repeating: 0, count: 8192)
        for page in 0..<UInt64(pages) {
            var stored = try cipher.seal(content, at: page)
            var undetected: [Int] = []
            for bit in 0..<stored.count * 8 {
                stored[bit / 8] ^= 1 << (bit % 8)
                if (try? cipher.open(stored, at: page)) != nil { undetected.append(bit) }
                stored[bit / 8] ^= 1 << (bit % 8)
            }
            #expect(undetected == [])
        }
    }

    @Test func `A unit of a wrong length is damaged`() throws {
        let cipher = UnitCipher(DataKey(), .log)
        var stored = try cipher.seal([], at: 0)
        var content: [UInt8] = [0]
        #expect(throws: UnitIsDamaged(index: 0)) {
            try stored.withUnsafeMutableBytes { stored in
                try content.withUnsafeMutableBytes { try cipher.open(stored, at: 0, into: $0) }
            }
        }
        #expect(throws: UnitIsDamaged(index: 0)) { try cipher.open([], at: 0) }
        #expect(throws: UnitIsDamaged(index: 0)) { try cipher.open(Array(stored.dropLast()), at: 0) }
    }

    @Test func `Nonces never repeat`() throws {
        let key = DataKey()
        var nonces: Set<[UInt8]> = []
        for cipher in [UnitCipher(key, .database), UnitCipher(key, .database)] {
            for _ in 0..<1000 { nonces.insert(Array(try cipher.seal([], at: 0).prefix(24))) }
        }
        #expect(nonces.count == 2000)
    }

    @Test func `Units of more writers than keys are kept can be read`() throws {
        let key = DataKey()
        let reader = UnitCipher(key, .database)
        let units = try (0..<1100).map { try UnitCipher(key, .database).seal([UInt8($0 % 256)], at: UInt64($0)) }
        for round in 0..<2 {
            for (index, unit) in units.enumerated() where index % (1 + round) == 0 {
                #expect(try reader.open(unit, at: UInt64(index)) == [UInt8(index % 256)])
            }
        }
    }
}

#endif

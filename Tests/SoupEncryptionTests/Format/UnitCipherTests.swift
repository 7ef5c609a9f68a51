// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Foundation
import Testing

@testable import SoupEncryption

@Suite struct UnitCipherTests {
    private static func seal(_ cipher: UnitCipher, _ content: [UInt8], at index: UInt64) throws -> [UInt8] {
        Array(try content.withUnsafeBytes { try cipher.seal($0, at: index) })
    }

    private static func open(_ cipher: UnitCipher, _ stored: [UInt8], at index: UInt64) throws -> [UInt8] {
        var content = [UInt8](repeating: 0, count: max(0, stored.count - UnitCipher.overhead))
        try stored.withUnsafeBytes { stored in
            try content.withUnsafeMutableBytes { try cipher.open(stored, at: index, into: $0) }
        }
        return content
    }

    @Test func `Another writer with the same key reads a unit`() throws {
        let key = DataKey()
        let stored = try Self.seal(UnitCipher(key, .database), [1, 2, 3], at: 7)
        #expect(try Self.open(UnitCipher(key, .database), stored, at: 7) == [1, 2, 3])
    }

    @Test func `A unit is valid only at its place`() throws {
        let key = DataKey()
        let stored = try Self.seal(UnitCipher(key, .database), [1, 2, 3], at: 7)
        let others: [(UnitCipher, UInt64)] = [
            (UnitCipher(key, .database), 8), (UnitCipher(key, .log), 7), (UnitCipher(DataKey(), .database), 7),
            (UnitCipher(DataKey(key: key.key, file: FileIdentity()), .database), 7),
        ]
        for (cipher, index) in others {
            #expect(throws: UnitIsDamaged(index: index)) { try Self.open(cipher, stored, at: index) }
        }
    }

    @Test func `Every changed bit is found`() throws {
        let cipher = UnitCipher(DataKey(), .log)
        let stored = try Self.seal(cipher, Array("content".utf8), at: 0)
        for bit in 0..<stored.count * 8 {
            var changed = stored
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: UnitIsDamaged(index: 0)) { try Self.open(cipher, changed, at: 0) }
        }
    }

    /// One page; with `SOUPKIT_TORTURE` in the environment, all pages of a store of 1 MB.
    @Test func `Every changed bit of a page is found`() throws {
        let pages = ProcessInfo.processInfo.environment["SOUPKIT_TORTURE"] == nil ? 1 : 128
        let cipher = UnitCipher(DataKey(), .database)
        var content = [UInt8](repeating: 0, count: 8192)
        for page in 0..<UInt64(pages) {
            var stored = try Self.seal(cipher, content, at: page)
            var undetected: [Int] = []
            stored.withUnsafeMutableBytes { stored in
                content.withUnsafeMutableBytes { content in
                    for bit in 0..<stored.count * 8 {
                        stored[bit / 8] ^= 1 << (bit % 8)
                        if (try? cipher.open(UnsafeRawBufferPointer(stored), at: page, into: content)) != nil {
                            undetected.append(bit)
                        }
                        stored[bit / 8] ^= 1 << (bit % 8)
                    }
                }
            }
            #expect(undetected == [])
        }
    }

    @Test func `A unit of a wrong length is damaged`() throws {
        let cipher = UnitCipher(DataKey(), .log)
        let stored = try Self.seal(cipher, [], at: 0)
        var content: [UInt8] = [0]
        #expect(throws: UnitIsDamaged(index: 0)) {
            try stored.withUnsafeBytes { stored in
                try content.withUnsafeMutableBytes { try cipher.open(stored, at: 0, into: $0) }
            }
        }
    }

    @Test func `Nonces never repeat`() throws {
        let key = DataKey()
        var nonces: Set<[UInt8]> = []
        for cipher in [UnitCipher(key, .database), UnitCipher(key, .database)] {
            for _ in 0..<1000 { nonces.insert(Array(try Self.seal(cipher, [], at: 0).prefix(24))) }
        }
        #expect(nonces.count == 2000)
    }

    @Test func `Units of more writers than keys are kept can be read`() throws {
        let key = DataKey()
        let reader = UnitCipher(key, .database)
        let units = try (0..<1100).map { try Self.seal(UnitCipher(key, .database), [UInt8($0 % 256)], at: UInt64($0)) }
        for round in 0..<2 {
            for (index, unit) in units.enumerated() where index % (1 + round) == 0 {
                #expect(try Self.open(reader, unit, at: UInt64(index)) == [UInt8(index % 256)])
            }
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupCore
import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct FileHeaderTests {
    private static let secret: StoreSecret = {
        // The bytes are valid, so the error cannot occur.
        guard let secret = try? StoreSecret(key: Array(0..<32)) else { preconditionFailure() }
        return secret
    }()

    private static func header(sequence: UInt64 = 1, key: DataKey = DataKey()) throws -> FileHeader {
        try FileHeader(.database, unitLength: 8192, key: key, secret: secret, sequence: sequence)
    }

    @Test func `The header that was written is read`() throws {
        let header = try Self.header()
        #expect(header.bytes.count == FileHeader.copyLength)
        #expect(FileHeader.read(header.bytes + header.bytes) == .header(header, isComplete: true))
    }

    @Test func `The greater number is the current one`() throws {
        let (old, new) = (try Self.header(), try Self.header(sequence: 2))
        #expect(FileHeader.read(old.bytes + new.bytes) == .header(new, isComplete: false))
        #expect(FileHeader.read(new.bytes + old.bytes) == .header(new, isComplete: false))
    }

    @Test func `Each changed bit in use is found`() throws {
        let header = try Self.header()
        for bit in 0..<184 * 8 {
            var changed = header.bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(FileHeader.read(changed + header.bytes) == .header(header, isComplete: false), "bit \(bit)")
            #expect(FileHeader.read(header.bytes + changed) == .header(header, isComplete: false), "bit \(bit)")
            let both = FileHeader.read(changed + changed)
            #expect(bit < 64 ? both == .notEncrypted : both == .damaged, "bit \(bit)")
        }
    }

    @Test func `A header after a foreign beginning is damage`() throws {
        let header = try Self.header()
        var changed = header.bytes
        changed[4000] = 1
        #expect(FileHeader.read(header.bytes + changed) == .header(header, isComplete: true))
        var foreign = header.bytes
        foreign[100] ^= 1
        #expect(FileHeader.read([UInt8](repeating: 7, count: 4096) + foreign) == .damaged)
    }

    @Test func `Beginnings of a creation are empty`() throws {
        let bytes = try Self.header().bytes
        for count in 0..<FileHeader.copyLength {
            #expect(FileHeader.read(Array(bytes.prefix(count))) == .empty)
            #expect(FileHeader.read([UInt8](repeating: 0, count: count)) == .empty)
        }
        // A complete copy is sufficient.
        #expect(FileHeader.read(bytes) == .header(try #require(Self.current(bytes)), isComplete: false))
    }

    private static func current(_ bytes: [UInt8]) -> FileHeader? {
        if case .header(let header, _) = FileHeader.read(bytes) { header } else { nil }
    }

    @Test func `Other files are not encrypted`() {
        for text in ["SQLite format 3\0 and more", "x", "{\"soups\": []}"] {
            #expect(FileHeader.read(Array(text.utf8)) == .notEncrypted)
        }
        #expect(FileHeader.read([UInt8](repeating: 1, count: 10_000)) == .notEncrypted)
    }

    @Test func `The key is that of the secret only`() throws {
        let key = DataKey()
        let header = try Self.header(key: key)
        let opened = try #require(try header.key(with: Self.secret))
        #expect(opened.key == key.key)
        #expect(opened.file == key.file)
        #expect(try header.key(with: StoreSecret(key: Array(1..<33))) == nil)
        #expect(try header.key(with: StoreSecret(passphrase: "secret")) == nil)
    }

    @Test func `Random headers are read without a crash`() throws {
        var random = SeededRandom(seed: 23)
        let valid = try Self.header().bytes
        for _ in 0..<2000 {
            var bytes = valid + valid
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            if case .header(let header, _) = FileHeader.read(bytes) { #expect(header == Self.current(valid)) }
        }
    }
}

#endif

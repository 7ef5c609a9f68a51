// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import SoupCore
import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct EncryptedFileTests {
    private let old: StoreSecret
    private let new: StoreSecret

    init() throws {
        old = try StoreSecret(key: Array(0..<32))
        new = try StoreSecret(key: Array(32..<64))
    }

    private func created() throws -> (MemoryRawFile, DataKey, FileHeader) {
        let raw = MemoryRawFile()
        let key = try EncryptedFile.create(raw, .database, unitLength: 512, secret: old)
        raw.bytes += [1, 2, 3]
        return (raw, key, try header(raw))
    }

    private func header(_ raw: MemoryRawFile) throws -> FileHeader {
        guard case .header(let header, _) = try EncryptedFile.reading(of: raw) else {
            throw SoupError("test", "no header")
        }
        return header
    }

    @Test func `A new secret replaces the old one in both copies`() throws {
        let (raw, key, header) = try created()
        try EncryptedFile.replaceSecret(of: raw, header, key: key, with: new)
        guard case .header(let current, isComplete: true) = try EncryptedFile.reading(of: raw) else {
            Issue.record("the copies differ")
            return
        }
        #expect(try current.key(with: new)?.key == key.key)
        #expect(try current.key(with: old) == nil)
        #expect(raw.bytes.count == FileHeader.length + 3)
    }

    @Test func `A kill at any byte leaves one secret that opens the file`() throws {
        var opened: [Bool] = []
        for count in stride(from: 0, through: 2 * FileHeader.copyLength, by: 61) {
            let (raw, key, header) = try created()
            raw.remainingBytes = count
            try? EncryptedFile.replaceSecret(of: raw, header, key: key, with: new)
            raw.remainingBytes = nil
            let current = try self.header(raw)
            let isNew = try current.key(with: new)?.key == key.key
            #expect(try isNew || current.key(with: old)?.key == key.key)
            opened.append(isNew)
            // The next open completes the change: the other secret opens nothing any more.
            try EncryptedFile.completeHeader(of: raw, current)
            guard case .header(current, isComplete: true) = try EncryptedFile.reading(of: raw) else {
                Issue.record("the copies differ after \(count) bytes")
                continue
            }
            #expect(raw.bytes.suffix(3) == [1, 2, 3])
        }
        #expect(opened.contains(true) && opened.contains(false))
        #expect(opened == opened.sorted { !$0 && $1 })
    }

    @Test func `A kill during the completion loses nothing`() throws {
        for damaged in [10, FileHeader.copyLength + 10] {
            for count in stride(from: 0, through: 2 * FileHeader.copyLength, by: 97) {
                let (raw, key, _) = try created()
                raw.bytes[damaged] ^= 1
                let header = try self.header(raw)
                raw.remainingBytes = count
                try? EncryptedFile.completeHeader(of: raw, header)
                raw.remainingBytes = nil
                #expect(try self.header(raw).key(with: old)?.key == key.key)
            }
        }
    }
}

#endif

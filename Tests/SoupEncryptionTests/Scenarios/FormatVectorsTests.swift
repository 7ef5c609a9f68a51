// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Crypto
import SoupCore
import Testing

@testable import SoupEncryption

/// The test vectors in the page on the format, which were calculated by another program.
@Suite struct FormatVectorsTests {
    private static let unit = """
        101112131415161718191a1b1c1d1e1f00000000000000010a021bbcee53bf299e19e9eda59484b0f8889230e5a81f51\
        9ad49f
        """
    private static let unitOfLog = """
        101112131415161718191a1b1c1d1e1f00000000000000010a021bbcee53bf299e19e99d31d995ef2abeae12b9873e4c\
        19bc84
        """
    private static let nameOfValue = "1498553e285c09a2151e294655828b2c8dd51974f7410323d5f09f16b7d6caf4"
    private static let value = """
        101112131415161718191a1b1c1d1e1f00000000000000010a021bbcee53bf299e19e9497ae7abff8b39170e78e25df3\
        e60485
        """
    private static let headerOfKey = """
        89534f55500d0a1a000100010100000000002000000000000000000000000001a0a1a2a3a4a5a6a7a8a9aaabacadaeaf\
        010000000000000000000000404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263\
        6465666768696a6bc60af16cd416567b8cb09201c948c5435f704417f9db92f88a1cb6be719ce7bc9d4b4aa400f035fd\
        324eadba30d4ef138b05c7e1b84d81a3a5a40b54b5f29ecd2087028dbe367fffd1af36d956280f36
        """
    private static let headerOfPassphrase = """
        89534f55500d0a1a000100010100000000002000000000000000000000000001a0a1a2a3a4a5a6a7a8a9aaabacadaeaf\
        020f00000000000800000003404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263\
        6465666768696a6b1be11a5f53624d11a391a95cd6e19338688fae5d7e68e92a5001482dbca129c88af6418d56f1c720\
        c1185ab565e07bff19be460626a2ecf13f892933f12d1259ddb22b7f498cb7d2f712742cfc03b98e
        """

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    private static func key(in header: String, with secret: StoreSecret) throws -> DataKey? {
        let copy = bytes(header) + [UInt8](repeating: 0, count: FileHeader.copyLength - header.utf8.count / 2)
        guard case .header(let read, isComplete: true) = FileHeader.read(copy + copy) else { return nil }
        #expect(read.unitLength == 8192 && read.sequence == 1 && read.kind == .database)
        #expect(read.bytes == copy)
        return try read.key(with: secret)
    }

    @Test func `The header of a key is opened`() throws {
        let key = try #require(try Self.key(in: Self.headerOfKey, with: StoreSecret(key: Array(0x20..<0x40))))
        #expect(key.key.withUnsafeBytes { Array($0) } == Array(0..<32))
        #expect(key.file.bytes == Array(0xA0..<0xB0))
    }

    @Test func `The header of a passphrase is opened`() throws {
        let secret = try StoreSecret(passphrase: "correct horse")
        let key = try #require(try Self.key(in: Self.headerOfPassphrase, with: secret))
        #expect(key.key.withUnsafeBytes { Array($0) } == Array(0..<32))
    }

    /// The units of the vectors have the same content, in files of several kinds.
    private static func open(_ text: String, with key: DataKey, _ kind: ContentKind, at index: UInt64) throws -> String
    {
        String(decoding: try UnitCipher(key, kind).open(bytes(text), at: index), as: UTF8.self)
    }

    @Test func `The units are opened`() throws {
        let key = try #require(try Self.key(in: Self.headerOfKey, with: StoreSecret(key: Array(0x20..<0x40))))
        #expect(try Self.open(Self.unit, with: key, .database, at: 0) == "hello, soup")
        #expect(try Self.open(Self.unitOfLog, with: key, .log, at: 1) == "hello, soup")
        let name = key.hash(of: "greeting").map { String(Int($0) + 256, radix: 16).suffix(2) }.joined()
        #expect(name == Self.nameOfValue)
        let value = key.key(ofFile: name + "_value")
        #expect(try Self.open(Self.value, with: value, .value, at: 1) == "hello, soup")
    }
}

#endif

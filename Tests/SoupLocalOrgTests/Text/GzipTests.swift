// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import SoupLocalOrg

@Suite struct GzipTests {
    /// A body of 1,524 bytes with its own codes.
    private static let dynamic = """
        H4sIAAAAAAACA4VUwQkCMRBsJaQMG/BnDxEOFQzcw9eJBVmHjSmEJLM7syccIblkdyczs3nmU6lLPqR83G5rOi+Pksp9vZZ0KbX2\
        +ec9PzjyW+H+mLfQIBePPelI0Vd9A/L1LYcO4nCnzW2a8Q8R64pxkYEAk6iac4Bom2IEuHLmqOK24ZXhDpyE8lcUPEbUBjTNIhTn\
        gKICDrSSjcDYy1nWtI3IvI4lb7OIJryOlRLCLASBkVijNogQOq13KFe1iF/W3tmFNIxGpVH8ogijxw3HzMs7sUw7zhYdKXTyfsCu\
        i/WIivMb5CSW/au85t2q10xFfn0BbocGHPQFAAA=
        """

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decoded(text)) }

    @Test(arguments: [
        ("H4sIAAAAAAACA6tW8kvMTVWyUlByy6xITVFAIpVqAci2IxcdAAAA", #"{"Name": "Fixed Fixed Fixed"}"#),
        ("H4sIAAAAAAAEAwESAO3/eyJOYW1lIjogIlN0b3JlZCJ9aFxy2hIAAAA=", #"{"Name": "Stored"}"#),
        // With a field, a name, a comment and a checksum in its header.
        ("H4sIHgAAAAAA/wIAYWJuYW1lAG5vdGUAUeqrVvJLzE1VslIA0ylKtQCBVKejEQAAAA==", #"{"Name": "Named"}"#),
    ]) func `Gzip is decompressed`(_ packed: String, _ text: String) throws {
        #expect(String(decoding: try Gzip.unpacked(bytes(packed), limit: 100), as: UTF8.self) == text)
        // Several files in sequence are one.
        let twice = try Gzip.unpacked(bytes(packed) + bytes(packed), limit: 100)
        #expect(String(decoding: twice, as: UTF8.self) == text + text)
        #expect(throws: Gzip.Failure.tooLong) { try Gzip.unpacked(bytes(packed), limit: text.utf8.count - 1) }
    }

    @Test func `Damaged gzip is rejected`() throws {
        let packed = try bytes(Self.dynamic)
        let whole = try Gzip.unpacked(packed, limit: 10_000)
        #expect(whole.count == 1524 && Gzip.checksum(whole) == 470_189_934)
        for count in packed.indices {
            #expect(throws: Gzip.Failure.self) { try Gzip.unpacked(Array(packed[..<count]), limit: 10_000) }
        }
        for index in packed.indices {
            for bit in 0..<8 {
                var other = packed
                other[index] ^= 1 << UInt8(bit)
                // Changes without an error are in parts that do not matter, such as the time in the header.
                if let output = try? Gzip.unpacked(other, limit: 10_000) { #expect(output == whole) }
            }
        }
    }

    @Test func `Compressed bytes decompress to the original`() throws {
        var random = SeededRandom(seed: 5)
        for round in 0..<100 {
            let letters = 1 + round % 200
            let bytes = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                UInt8(Int.random(in: 0..<letters, using: &random))
            }
            let packed = try #require(Gzip.packed(bytes))
            #expect(packed.starts(with: [0x1F, 0x8B, 8]))
            #expect(try Gzip.unpacked(packed, limit: bytes.count) == bytes)
        }
        let long = Array(String(repeating: "\"003000000000001AAA\",\"Smith\"\n", count: 10_000).utf8)
        let short = try #require(Gzip.packed(long))
        #expect(short.count < long.count / 20)
        #expect(try Gzip.unpacked(short, limit: long.count) == long)
    }

    @Test func `Bodies may be compressed`() async throws {
        let client = try OrgClient()
        func send(_ coding: String, _ body: [UInt8]) async throws -> HTTPAnswer {
            try await client.org.authorizedTransport.send(
                HTTPRequest(
                    method: .post, scheme: nil, authority: nil, path: "/services/data/v60.0/sobjects/Account/",
                    headerFields: [.contentEncoding: coding, .contentType: "application/json"]), body: body)
        }
        #expect(try await send("gzip", bytes(Self.dynamic)).status == 400)  // The name is too long.
        let packed = try bytes("H4sIAAAAAAACA6tW8kvMTVWyUlByy6xITVFAIpVqAci2IxcdAAAA")
        #expect(try await send("GZIP", packed).status == 201)
        #expect(try await send("gzip", Array(packed.dropLast())).status == 400)
        #expect(try await send("br", packed).status == 415)
        #expect(try await send("identity", Array(#"{"Name": "Plain"}"#.utf8)).status == 201)
        #expect(
            try await client.values("SELECT Name FROM Account ORDER BY CreatedDate DESC, Id DESC LIMIT 2") == [
                "Plain", "Fixed Fixed Fixed",
            ])
        #expect(client.org.journal.contains { $0.body == Array(#"{"Name": "Fixed Fixed Fixed"}"#.utf8) })
    }
}

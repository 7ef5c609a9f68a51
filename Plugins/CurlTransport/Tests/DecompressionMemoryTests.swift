// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CurlTransport
    import Foundation
    import HTTPTypes
    import SoupCore
    import SoupTesting
    import Testing

    @Suite(.serialized, .timeLimit(.minutes(5))) struct DecompressionMemoryTests {
        /// 2 MB that expand to 2 GB: 128 members of 16 MB each.
        private static func bomb() throws -> [UInt8] {
            let member = try GzipDecoderTests.compressed(zeros: 16 << 20)
            return Array(repeatElement(member, count: 128).joined())
        }

        /// A value of `/proc/self/status`, in bytes.
        private func memory(_ name: String) throws -> Int {
            let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix(name + ":") })
            return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
        }

        /// Makes the peak of this process what it uses now.
        ///
        /// - Returns: the memory above which the peak rises.
        private func resetPeak() throws -> Int {
            let isReset = (try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))) != nil
            return try memory(isReset ? "VmRSS" : "VmHWM")
        }

        @Test func aBombIsStoppedByTheStandardLimit() async throws {
            let body = try Self.bomb()
            #expect(body.count < 3_000_000)
            let server = try RawServer { _ in RawReply(fields: ["Content-Encoding: gzip"], body: body) }
            defer { server.stop() }
            var configuration = LibcurlTransport.Configuration()
            configuration.proxy = ""
            let transport = try LibcurlTransport(configuration: configuration)
            let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            let before = try resetPeak()
            let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: nil) }
            #expect(error?.code == .answerTooLong)
            #expect(error?.message == "the answer of the server is longer than 67108864 bytes")
            #expect(try memory("VmHWM") - before <= 100_000_000)
        }

        /// Back-pressure reaches the decompression: a stream of 2 GB needs no more memory than one of 2 MB.
        @Test func aStreamOfABombIsReadInBoundedMemory() async throws {
            let body = try Self.bomb()
            let server = try RawServer { _ in RawReply(fields: ["Content-Encoding: gzip"], body: body) }
            defer { server.stop() }
            var configuration = LibcurlTransport.Configuration()
            configuration.proxy = ""
            let transport = try LibcurlTransport(configuration: configuration)
            let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            let before = try resetPeak()
            var count = 0
            for try await piece in try await transport.stream(request, body: nil).body { count += piece.count }
            #expect(count == 2 << 30)
            #expect(try memory("VmHWM") - before <= 30_000_000)
        }
    }
#endif

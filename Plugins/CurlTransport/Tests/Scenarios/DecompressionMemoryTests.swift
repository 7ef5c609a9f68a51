// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CurlTransport
    import Foundation
    import HTTPTypes
    import SoupCore
    import SoupTesting
    import Synchronization
    import Testing

    /// The memory that bodies need which expand to 2 GB.
    ///
    /// The tests measure the whole process, so no other test may run at the same time. The tests of this project run
    /// with `--no-parallel`.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct DecompressionMemoryTests {
        /// Returns 2 MB that expand to 2 GB: 128 members of 16 MB each.
        private static func bomb() throws -> [UInt8] {
            let member = try GzipDecoderTests.compressed(zeros: 16 << 20)
            return Array(repeatElement(member, count: 128).joined())
        }

        /// Runs `body`, and returns the maximum growth of the process's memory, in bytes.
        private func growth(during body: () async throws -> Void) async throws -> Int {
            let sampler = try MemorySampler()
            defer { sampler.stop() }
            try await body()
            return sampler.growth
        }

        @Test func `The default limit stops a decompression bomb`() async throws {
            let body = try Self.bomb()
            #expect(body.count < 3_000_000)
            let server = try RawServer { _ in RawReply(fields: ["Content-Encoding: gzip"], body: body) }
            defer { server.stop() }
            var configuration = LibcurlTransport.Configuration()
            configuration.proxy = ""
            let transport = try LibcurlTransport(configuration: configuration)
            let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            let growth = try await growth {
                let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: nil) }
                #expect(error?.code == .answerTooLong)
                #expect(error?.message == "the answer of the server is longer than 67108864 bytes")
            }
            #expect(growth <= 100_000_000)
        }

        /// Back-pressure reaches the decompression: a stream of 2 GB needs no more memory than one of 2 MB.
        @Test func `A stream of a bomb is read in bounded memory`() async throws {
            let body = try Self.bomb()
            let server = try RawServer { _ in RawReply(fields: ["Content-Encoding: gzip"], body: body) }
            defer { server.stop() }
            var configuration = LibcurlTransport.Configuration()
            configuration.proxy = ""
            let transport = try LibcurlTransport(configuration: configuration)
            let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            var count = 0
            let growth = try await growth {
                for try await piece in try await transport.stream(request, body: nil).body { count += piece.count }
            }
            #expect(count == 2 << 30)
            #expect(growth <= 30_000_000)
        }

        /// Without this measurement the other tests would pass with any transport.
        @Test func `Memory that is held only briefly is measured`() async throws {
            let growth = try await growth {
                let bytes = [UInt8](repeating: 1, count: 64_000_000)
                try await Task.sleep(for: .milliseconds(100))
                #expect(bytes.count == 64_000_000)
            }
            #expect(growth > 50_000_000)
        }
    }

    /// Reads the resident memory of this process every millisecond, on a thread of its own.
    ///
    /// The peak that the system keeps (`VmHWM`) includes earlier tests, and not every system lets a process reset it.
    private final class MemorySampler: Sendable {
        private struct State {
            var peak = 0
            var isStopped = false
        }

        private let start: Int
        private let state = Mutex(State())

        init() throws {
            start = try Self.residentBytes()
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.isStopped }) {
                    sample()
                    Thread.sleep(forTimeInterval: 0.001)
                }
            }
        }

        func stop() { state.withLock { $0.isStopped = true } }

        /// The greatest memory until now, less the memory at the start.
        var growth: Int {
            sample()
            return state.withLock { $0.peak } - start
        }

        private func sample() {
            guard let bytes = try? Self.residentBytes() else { return }
            state.withLock { $0.peak = max($0.peak, bytes) }
        }

        private static func residentBytes() throws -> Int {
            let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("VmRSS:") })
            return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
        }
    }
#endif

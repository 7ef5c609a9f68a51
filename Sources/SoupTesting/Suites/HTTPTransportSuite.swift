// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// A test of the rules of ``HTTPTransport``: an author provides a transport, the suite provides servers.
///
/// ```swift
/// @Test func keepsTheRules() async throws {
///     try await HTTPTransportSuite { try MyTransport(configuration: $0) }.check()
/// }
/// ```
///
/// The servers listen on the loopback address and respond with any bytes, correct HTTP or not. The transport must not
/// use a proxy for that address.
public struct HTTPTransportSuite: Sendable {
    /// A rule that the suite checks.
    public enum Rule: String, Sendable, CaseIterable {
        /// Status, fields and body arrive as the server sent them.
        case answers
        /// Repeated fields keep their order, and lines that are not fields are ignored.
        case fields
        /// Method, path, fields and body reach the server unchanged, without cookies.
        case requests
        /// A path is sent unchanged, also with segments such as `..`.
        case paths
        /// The end of a body is found with every kind of framing, and interim responses are ignored.
        case framing
        /// Trailers after a chunked body are ignored.
        case trailers
        /// A response whose body is incomplete is an error whose delivery is unknown.
        case brokenBodies
        /// A response without a complete head is an error whose delivery is unknown.
        case brokenHeads
        /// Compressed bodies are decompressed, and the fields that describe the compressed body are removed.
        case compression
        /// A compressed body of several gzip members is decompressed to its end.
        case gzipMembers
        /// A compressed body that is damaged or ends too early is an error.
        case damagedCompression
        /// A body above the limit is the error `answerTooLong`.
        case bodyLimit
        /// The limit counts decompressed bytes while they arrive.
        case decompressedLimit
        /// A head of 2 MB is the error `answerTooLong`.
        case headLimit
        /// A request that cannot reach a server fails with `notSent` or `badConfiguration`.
        case refusals
        /// A server name that cannot be resolved is reported as an error, and later requests are not affected.
        case unknownNames
        /// Redirects are followed for GET and HEAD on the same server; otherwise they are returned as the response.
        case redirects
        /// A redirect without a location, to a file, or with a user in its URL is returned as the response.
        case oddRedirects
        /// Requests that follow each other use one connection.
        case reuse
        /// As ``reuse``, for requests that write.
        case reuseForWrites
        /// A request that writes is never sent twice, regardless of connection errors.
        case writesOnce
        /// Cancelling the task ends the exchange and closes its connection.
        case cancellation
        /// A server that sends nothing for too long ends the exchange.
        case idleTimeout
        /// An exchange that takes too long in all ends.
        case totalTimeout
        /// The beginning of a long response is passed to the caller before the rest has arrived.
        case beginnings
        /// A stream returns the whole body, and closes its connection when it is released.
        case streams
        /// A stream that is not read stops the server before it has sent 16 MiB, so that memory is bounded.
        case backPressure
        /// Exchanges that run at the same time do not mix.
        case concurrency
    }

    /// Creates a transport with these limits, a new one at every call.
    public var make: @Sendable (TransportLimits) throws -> any HTTPTransport
    /// The rules that are not checked, each with the reason.
    public var exemptions: [Rule: String]
    /// The time, in milliseconds, to wait for the end of a connection that the transport must close.
    package var closingTimeout: Int64 = 30_000

    /// Creates a suite for the transports that `make` creates.
    ///
    /// - Parameter exemptions: the rules that the transport cannot follow; give the reason, and repeat it in its
    ///   README.
    public init(
        exempting exemptions: [Rule: String] = [:],
        make: @escaping @Sendable (TransportLimits) throws -> any HTTPTransport
    ) {
        self.make = make
        self.exemptions = exemptions
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("the transport", await violations()) }

    /// Returns every rule that the transport violates, in the order of ``Rule``.
    public func violations() async -> [String] {
        var report = SuiteReport()
        for rule in Rule.allCases where exemptions[rule] == nil { await check(rule, &report) }
        return report.violations
    }

    /// Checks one rule, and returns its violations.
    public func violations(of rule: Rule) async -> [String] {
        var report = SuiteReport()
        await check(rule, &report)
        return report.violations
    }

    private func check(_ rule: Rule, _ report: inout SuiteReport) async {
        switch rule {
        case .answers: await checkAnswers(&report)
        case .fields: await checkFields(&report)
        case .requests: await checkRequests(&report)
        case .paths: await checkPaths(&report)
        case .framing: await checkFraming(&report)
        case .trailers: await checkTrailers(&report)
        case .brokenBodies: await checkBroken(Self.brokenBodies, &report)
        case .brokenHeads: await checkBroken(Self.brokenHeads, &report)
        case .compression: await checkCompression(&report)
        case .gzipMembers: await checkGzipMembers(&report)
        case .damagedCompression: await checkDamagedCompression(&report)
        case .bodyLimit: await checkBodyLimit(&report)
        case .decompressedLimit: await checkDecompressedLimit(&report)
        case .headLimit: await checkHeadLimit(&report)
        case .refusals: await checkRefusals(&report)
        case .unknownNames: await checkUnknownNames(&report)
        case .redirects: await checkRedirects(&report)
        case .oddRedirects: await checkOddRedirects(&report)
        case .reuse: await checkReuse([.get, .head, .get], &report)
        case .reuseForWrites: await checkReuse([.post, .patch, .delete, .get, .post], &report)
        case .writesOnce: await checkWritesOnce(&report)
        case .cancellation: await checkCancellation(&report)
        case .idleTimeout: await checkIdleTimeout(&report)
        case .totalTimeout: await checkTotalTimeout(&report)
        case .beginnings: await checkBeginnings(&report)
        case .streams: await checkStreams(&report)
        case .backPressure: await checkBackPressure(&report)
        case .concurrency: await checkConcurrency(&report)
        }
    }
}

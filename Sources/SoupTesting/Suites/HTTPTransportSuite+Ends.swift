// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

extension HTTPTransportSuite {
    func checkCancellation(_ report: inout SuiteReport) async {
        for (path, method) in [("/silent", HTTPRequest.Method.get), ("/half", .get), ("/silent", .post)] {
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            await trial(&report, limits: TransportLimits(idleTimeout: .seconds(600), totalTimeout: .seconds(600))) {
                request in
                arrived.yield()
                return request.path == "/half"
                    ? RawReply("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", then: .hold)
                    : RawReply("", then: .hold)
            } body: { trial, report in
                let task = Task {
                    // A transport that sends nothing must not block the suite.
                    defer { arrived.yield() }
                    return try await trial.send(method, path)
                }
                for await _ in arrivals { break }
                task.cancel()
                do {
                    let answer = try await task.value
                    report.note("a cancelled request returned \(answer.described): throw CancellationError")
                } catch {
                    report.require(
                        error is CancellationError, "a cancelled request threw \(error.quoted): throw CancellationError"
                    )
                }
                guard trial.server.connectionCount > 0 else {
                    return report.note("the transport did not send a request: send it")
                }
                let isClosed = try await trial.waitForClosing(of: 1, milliseconds: closingTimeout)
                report.require(
                    isClosed, "the connection of a cancelled request stayed open: close it when the task is cancelled")
            }
        }
        await checkCancelledTask(&report)
    }

    /// Checks a request of a task that was cancelled before.
    private func checkCancelledTask(_ report: inout SuiteReport) async {
        await trial(&report) { _ in
            RawReply(body: "")
        } body: { trial, report in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await trial.send(.post)
            }
            var error: (any Error)?
            do { _ = try await task.value } catch let thrown { error = thrown }
            report.require(
                error is CancellationError && trial.server.requests.isEmpty,
                "a task that was cancelled before its request sent \(trial.server.requests.count) requests and threw "
                    + "\(error?.quoted ?? "nothing"): send nothing, and throw CancellationError")
        }
    }

    func checkIdleTimeout(_ report: inout SuiteReport) async {
        for method in [HTTPRequest.Method.get, .post] {
            await trial(&report, limits: TransportLimits(idleTimeout: .seconds(1), totalTimeout: .seconds(600))) {
                request in
                RawReply(
                    request.path == "/half" ? "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello" : "", then: .hold)
            } body: { trial, report in
                for path in ["/silent", "/half"] {
                    await trial.requireNetworkError(
                        .unknown, sending: method, path, when: "a server was silent for longer than the idle timeout",
                        report: &report)
                }
            }
        }
    }

    func checkTotalTimeout(_ report: inout SuiteReport) async {
        for method in [HTTPRequest.Method.get, .post] {
            await trial(&report, limits: TransportLimits(idleTimeout: .seconds(600), totalTimeout: .seconds(1))) { _ in
                RawReply("HTTP/1.1 200 OK\r\n\r\n", then: .hold)
            } body: { trial, report in
                await trial.requireNetworkError(
                    .unknown, sending: method, when: "an exchange took longer than the total timeout", report: &report)
            }
        }
    }

    func checkStreams(_ report: inout SuiteReport) async {
        let text = Array(String(repeating: "0123456789", count: 120_000).utf8)
        let packed = GzipText.stored(text)
        await trial(&report) { request in
            switch request.path {
            case "/packed": RawReply(fields: ["Content-Encoding: gzip"], body: packed)
            case "/broken": RawReply("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", then: .close)
            default: RawReply(status: "202 Accepted", fields: ["X-A: b"], body: text)
            }
        } body: { trial, report in
            for path in ["/plain", "/packed"] {
                let stream = try await trial.transport.stream(trial.request(.get, path), body: nil)
                var body: [UInt8] = []
                for try await piece in stream.body { body += piece }
                report.require(
                    body == text,
                    "the stream of \(path) returned \(body.count) bytes: return all \(text.count) bytes of the body")
                report.require(
                    path != "/plain"
                        || (stream.response.status.code == 202
                            && stream.response.headerFields.contains { $0.value == "b" }),
                    "the stream of \(path) has the status \(stream.response.status.code): return the head of the response"
                )
            }
            do {
                var body: [UInt8] = []
                for try await piece in try await trial.transport.stream(trial.request(.get, "/broken"), body: nil).body
                {
                    body += piece
                }
                report.note("a stream whose connection broke ended after \(body.count) bytes: throw an error")
            } catch {
                report.require(
                    (error as? SoupError)?.code == .network,
                    "a stream whose connection broke threw \(error.quoted): throw SoupError.network")
            }
        }
    }

    func checkBackPressure(_ report: inout SuiteReport) async {
        await trial(&report, limits: TransportLimits(idleTimeout: .seconds(600), totalTimeout: .seconds(600))) {
            request in
            // The body ends, so that a transport that collects it ends as well.
            RawReply("HTTP/1.1 200 OK\r\n\r\n", then: .close)
                .followed(by: [UInt8](repeating: 97, count: 65_536), times: 1024)
        } body: { trial, report in
            let count = try await Self.bytesSentToASlowReader(of: trial)
            guard trial.server.connectionCount > 0 else {
                return report.note("the transport did not send a request: send it")
            }
            guard count < 16 << 20 else {
                return report.note(
                    "one piece of a stream was read, and the transport took \(count) bytes from the server: stop reading from "
                        + "the connection until the caller has read the received bytes")
            }
            // The stream was released: the server sees the end of the connection.
            let isClosed = try await trial.waitForClosing(of: 1, milliseconds: closingTimeout)
            report.require(
                isClosed,
                "the connection of a stream that was released stayed open: close it when the last copy is released")
        }
    }

    /// Reads one piece of a stream, and keeps the stream until the server sends no more.
    ///
    /// - Returns: the number of bytes that the server has sent.
    private static func bytesSentToASlowReader(of trial: TransportTrial) async throws -> Int {
        let stream = try await trial.transport.stream(trial.request(.get), body: nil)
        defer { withExtendedLifetime(stream) {} }
        for try await _ in stream.body { break }
        return try await trial.sentBytesAtRest()
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A server and a transport that can connect to it.
struct TransportTrial: Sendable {
    let server: RawServer
    let transport: any HTTPTransport

    func request(_ method: HTTPRequest.Method, _ path: String = "/", fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: server.authority, path: path, headerFields: fields)
    }

    func send(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: String? = nil
    ) async throws -> HTTPAnswer {
        try await transport.send(request(method, path, fields: fields), body: body.map { Array($0.utf8) })
    }

    /// Returns the error of a request; nil, and a violation, if there is a response.
    func error(
        sending method: HTTPRequest.Method = .get, _ path: String = "/", to authority: String? = nil,
        body: String? = nil, when situation: String, report: inout SuiteReport
    ) async -> SoupError? {
        do {
            var request = request(method, path)
            if let authority { request.authority = authority }
            let answer = try await transport.send(request, body: body.map { Array($0.utf8) })
            report.note(
                "\(situation), and send returned status \(answer.status) with \(answer.body.count) bytes: throw an error"
            )
        } catch let error as SoupError {
            return error
        } catch {
            report.note("\(situation), and send threw \(error.quoted): throw a SoupError")
        }
        return nil
    }

    /// Waits until the client has closed a connection, or until the timeout.
    ///
    /// - Returns: whether the client has closed it.
    func waitForClosing(of connection: Int, milliseconds: Int64) async throws -> Bool {
        for _ in 0..<max(1, milliseconds / 20) {
            if server.hasClosed(connection) { return true }
            try await SystemClock().sleep(milliseconds: 20)
        }
        return server.hasClosed(connection)
    }

    /// Waits until the server has sent nothing for a second, at most half a minute.
    ///
    /// - Returns: the number of bytes that the server has sent.
    func sentBytesAtRest() async throws -> Int {
        var count = server.sentBytes
        var quietTimes = 0
        for _ in 0..<600 {
            try await SystemClock().sleep(milliseconds: 50)
            quietTimes = server.sentBytes == count ? quietTimes + 1 : 0
            count = server.sentBytes
            if quietTimes == 20 { break }
        }
        return count
    }

    /// Requires the error `network` with this delivery.
    func requireNetworkError(
        _ delivery: NetworkFailure.Delivery = .unknown, sending method: HTTPRequest.Method = .get,
        _ path: String = "/", to authority: String? = nil, body: String? = nil, when situation: String,
        report: inout SuiteReport
    ) async {
        let thrown = await error(
            sending: method, path, to: authority, body: body, when: situation, report: &report)
        guard let thrown else { return }
        report.require(
            thrown.code == .network && thrown.delivery == delivery,
            "\(situation), and send threw \(thrown.quoted) with the delivery \(thrown.delivery.rawValue): "
                + "throw SoupError.network(.\(delivery.rawValue), ...)")
    }
}

extension HTTPTransportSuite {
    /// Runs `body` with a server and a transport, and records an error that prevents it.
    func trial(
        _ report: inout SuiteReport,
        limits: TransportLimits = TransportLimits(idleTimeout: .seconds(30), totalTimeout: .seconds(120)),
        script: @escaping RawServer.Script, body: (TransportTrial, inout SuiteReport) async throws -> Void
    ) async {
        do {
            let server = try RawServer(script: script)
            defer { server.stop() }
            try await body(TransportTrial(server: server, transport: try make(limits)), &report)
        } catch {
            report.note("a check threw \(error.quoted): return the server's response")
        }
    }
}

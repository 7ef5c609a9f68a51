// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import Testing

/// A local org that a process of `soup org serve` serves.
struct ServedTool: Sendable {
    let url: String
    let token: String

    /// Starts the process, runs `body`, and ends the process with a signal.
    ///
    /// - Returns: the exit code of the process.
    @discardableResult
    static func with(_ arguments: String..., body: (ServedTool) async throws -> Void) async throws -> Int32 {
        let running = try SoupTool.start(["org", "serve"] + arguments)
        try running.write("")
        do {
            let line = try JSONValue(parsing: try #require(await running.output.first { _ in true }))
            try await body(
                ServedTool(
                    url: try #require(line.url?.stringValue), token: try #require(line.accessToken?.stringValue)))
        } catch {
            running.kill(SIGKILL)
            throw error
        }
        running.kill(SIGTERM)
        return await running.end()
    }

    func send(_ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil) async throws -> HTTPAnswer {
        try await URLSessionTransport().send(
            HTTPRequest(
                method: method, scheme: "http", authority: String(url.dropFirst("http://".count)), path: path,
                headerFields: [.authorization: "Bearer \(token)", .contentType: "application/json"]),
            body: try body.map { Array(try JSONText($0).bytes) })
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupKit

/// `soup bridge` in a separate process, and a client with one connection.
struct ServedBridge {
    private struct Address: Decodable {
        var url: String
        var secret: String
    }

    let process: ChildProcess
    private let address: Address
    private let transport = StandardTransport.make()

    /// Starts the bridge, and waits until it answers.
    init(program: String, folder: String) async throws {
        let file = folder + "/bridge.json"
        process = try ChildProcess(program, ["bridge", "--json", "--config", folder], output: file)
        for _ in 0..<600 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let line = text.split(separator: "\n").first, text.contains("\n") {
                address = try JSONDecoder().decode(Address.self, from: Data(line.utf8))
                return
            }
            guard process.isRunning else { throw ContestantError("the bridge ended before it answered") }
            try await Task.sleep(for: .milliseconds(100))
        }
        process.stop()
        throw ContestantError("the bridge did not answer within a minute")
    }

    /// Sends the body of a call, and returns that of its answer.
    func perform(_ body: [UInt8]) async throws -> [UInt8] {
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: String(address.url.dropFirst("http://".count)),
            path: "/bridge/exec")
        request.headerFields[.authorization] = "Bearer \(address.secret)"
        request.headerFields[.contentType] = "application/json"
        if let name = HTTPField.Name("X-Bridge-Session") { request.headerFields[name] = "benchmark" }
        return try await transport.send(request, body: body).body
    }
}

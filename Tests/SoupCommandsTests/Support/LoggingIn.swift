// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import Testing

extension ServedOrg {
    /// The contents of an `org.json` without secrets.
    var orgFile: String { #"{"instanceUrl": "\#(url)", "clientId": "emu-client"}"# }

    /// Runs `soup login` with a browser whose user agrees at once.
    func logIn(_ folder: WorkFolder, as user: String = "demo@example.org", _ arguments: String...) async throws
        -> FinishedSoup
    {
        let running = try SoupTool.start(
            ["login", "--config", folder.path, "--json", "--no-open", "--user", user] + arguments)
        try running.write("")
        var output: [String] = []
        for await line in running.output {
            output.append(line)
            guard let page = try JSONValue(parsing: line)["url"]?.stringValue else { continue }
            _ = try await Self.browse(page)
        }
        var errors: [String] = []
        for await line in running.errors { errors.append(line) }
        return FinishedSoup(status: await running.end(), output: output, errors: errors)
    }

    /// Opens a URL as a browser does, and follows the redirect.
    @discardableResult
    static func browse(_ url: String) async throws -> HTTPAnswer {
        let answer = try await get(url)
        guard (300..<400).contains(answer.status), let location = answer.response.headerFields[.location] else {
            return answer
        }
        return try await get(location)
    }

    static func get(_ url: String) async throws -> HTTPAnswer {
        let parts = try #require(URLComponents(string: url))
        let authority = "\(parts.host ?? "")" + (parts.port.map { ":\($0)" } ?? "")
        let path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        return try await StandardTransport.make().send(
            HTTPRequest(method: .get, scheme: parts.scheme, authority: authority, path: path), body: nil)
    }
}

#endif

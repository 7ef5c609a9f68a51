// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The administration of an org, which must be enabled.
extension ServedOrg {
    /// Delays every response; nil removes the delay.
    func delayAnswers(milliseconds: Int?) throws {
        try setFault(milliseconds.map { #"{"kind": "latency", "ms": \#($0)}"# })
    }

    /// Limits the speed of every body; nil removes the limit.
    func trickleBodies(bytesPerSecond: Int?) throws {
        try setFault(bytesPerSecond.map { #"{"kind": "slowBody", "bytesPerSecond": \#($0)}"# })
    }

    /// Replaces all faults with one; nil removes them.
    private func setFault(_ fault: String?) throws {
        let connection = try connect()
        _ = try connection.exchange("DELETE", "/_emu/faults")
        guard let fault else { return }
        // The rule applies only to the API, so that the administration stays fast.
        let rule = #"{"match": {"path": "/services/"}, "do": \#(fault)}"#
        _ = try connection.exchange("POST", "/_emu/faults", json: rule)
    }

    /// Returns the number of API requests that the org received while `body` ran.
    func requests(during body: () async throws -> Void) async throws -> Int {
        let connection = try connect()
        let last = try connection.journal(since: 0).last?.number ?? 0
        try await body()
        return try connection.journal(since: last).filter { $0.path.hasPrefix("/services/") }.count
    }

    /// Opens a connection with the org's token.
    func connect() throws -> PlainConnection { try PlainConnection(port: port, token: address.accessToken) }
}

extension PlainConnection {
    /// Returns the requests after a number, of the latest 5,000 that the org has recorded.
    fileprivate func journal(since number: Int) throws -> [(number: Int, path: String)] {
        let entries = try JSONValue(parsing: try get("/_emu/journal?since=\(number)")).arrayValue ?? []
        return entries.compactMap { entry in
            guard let number = entry["number"]?.intValue, let path = entry["path"]?.stringValue else { return nil }
            return (Int(number), path)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What an org with an open door can be told and asked.
extension ServedOrg {
    /// Puts a pause in front of every answer, or takes it away again.
    func delayAnswers(milliseconds: Int?) throws {
        try setFault(milliseconds.map { #"{"kind": "latency", "ms": \#($0)}"# })
    }

    /// Lets every body trickle, or stops that again.
    func trickleBodies(bytesPerSecond: Int?) throws {
        try setFault(bytesPerSecond.map { #"{"kind": "slowBody", "bytesPerSecond": \#($0)}"# })
    }

    /// Makes a fault the only one, or takes away the one that is there.
    private func setFault(_ fault: String?) throws {
        let connection = try connect()
        _ = try connection.exchange("DELETE", "/_emu/faults")
        guard let fault else { return }
        // The rule is for the API alone: the door stays quick.
        let rule = #"{"match": {"path": "/services/"}, "do": \#(fault)}"#
        _ = try connection.exchange("POST", "/_emu/faults", json: rule)
    }

    /// How many requests of the API it got while `body` ran.
    func requests(during body: () async throws -> Void) async throws -> Int {
        let connection = try connect()
        let last = try connection.journal(since: 0).last?.number ?? 0
        try await body()
        return try connection.journal(since: last).filter { $0.path.hasPrefix("/services/") }.count
    }

    /// A connection with its token.
    func connect() throws -> PlainConnection { try PlainConnection(port: port, token: address.accessToken) }
}

extension PlainConnection {
    /// The requests behind one, of those that the org still knows: the latest 5,000.
    fileprivate func journal(since number: Int) throws -> [(number: Int, path: String)] {
        let entries = try JSONValue(parsing: try get("/_emu/journal?since=\(number)")).arrayValue ?? []
        return entries.compactMap { entry in
            guard let number = entry["number"]?.intValue, let path = entry["path"]?.stringValue else { return nil }
            return (Int(number), path)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// A mechanism of the syncs that is switched off, to show that the histories need it.
///
/// The requests and responses of the clients, their clock, or the rows of their syncs are changed as if the mechanism
/// did not exist.
enum DisabledMechanism: String, Sendable, CaseIterable {
    /// The condition of an update that the record has not changed: `If-Unmodified-Since`.
    case conditions
    /// The request for the records that changed, and may have left the conditions of the sync.
    case changedIds
    /// The request for the records that a sync up created and no sync down has fetched.
    case existence
    /// The date of a record that also changes without an edit, such as by an undelete: `SystemModstamp`.
    case systemDates
    /// The check of the dates of records whose push took long.
    case slowPushes
    /// The notes about deletions that local changes prevented.
    case heldDeletions
    /// The look-up of creations whose response was lost, by their client keys.
    case clientKeys

    /// Whether only long histories need it; see ``TwoClientsHistory/isLong``.
    var needsLongHistory: Bool { [.systemDates, .slowPushes, .heldDeletions, .clientKeys].contains(self) }

    /// Changes a request, or returns its response without sending it.
    fileprivate func apply(to request: inout HTTPRequest, body: inout [UInt8]?) throws -> HTTPAnswer? {
        let query =
            request.path.flatMap { URLComponents(string: $0) }?.queryItems?.first { $0.name == "q" }?.value ?? ""
        switch self {
        case .conditions:
            request.headerFields[.ifUnmodifiedSince] = nil
            body = body.map { body in
                Array(String(decoding: body, as: UTF8.self).replacing("If-Unmodified-Since", with: "X-Ignored").utf8)
            }
        case .systemDates:
            request.path = request.path?.replacing("SystemModstamp", with: "LastModifiedDate")
        case .changedIds:
            let words = query.lowercased().split(separator: " ")
            guard words.starts(with: ["select", "id", "from"]), words.count > 5, words[5] == "systemmodstamp" else {
                return nil
            }
            return try Self.answer([])
        case .existence:
            let words = query.lowercased().split(separator: " ")
            guard words.starts(with: ["select", "id", "from"]), words.count > 5, words[5] == "id" else { return nil }
            return try Self.answer(query.matches(of: /'([A-Za-z0-9]{15,18})'/).map { ["Id": .string(String($0.1))] })
        case .clientKeys where query.contains("Key__c"): return try Self.answer([])
        case .slowPushes, .heldDeletions, .clientKeys: break
        }
        return nil
    }

    private static func answer(_ records: [JSONValue]) throws -> HTTPAnswer {
        let body: JSONValue = [
            "totalSize": .int(Int64(records.count)), "done": true, "records": .array(records),
        ]
        return HTTPAnswer(try body.jsonText().description)
    }
}

/// A transport without a mechanism.
struct TransportWithoutMechanism: HTTPTransport {
    let base: any HTTPTransport
    let mechanism: DisabledMechanism?

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        var (request, body) = (request, body)
        if let answer = try mechanism?.apply(to: &request, body: &body) { return answer }
        return try await base.send(request, body: body)
    }
}

/// A clock that can be stopped, so that requests seem to take no time.
final class StoppableClock: SoupClock {
    private let base: any SoupClock
    private let stopped = Mutex<Date?>(nil)

    init(_ base: any SoupClock) { self.base = base }

    var now: Date { stopped.withLock { $0 } ?? base.now }

    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

    func stop() { stopped.withLock { $0 = base.now } }

    func start() { stopped.withLock { $0 = nil } }
}

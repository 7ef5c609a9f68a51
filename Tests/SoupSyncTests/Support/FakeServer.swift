// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// A server that the targets of these tests call directly.
///
/// It has records with a modification date, queries that keep their result, a log of all requests, and closures by
/// which a test can fail or delay a request.
final class FakeServer: HTTPTransport {
    struct Record: Sendable {
        var id: String
        var values: JSONObject
        var date: Int64
        /// The ID of the parent, for a child.
        var parentId: String?
    }

    struct State: Sendable {
        var records: [String: Record] = [:]
        var queries: [[String]] = []
        /// The IDs of the deleted records with the times of their deletion.
        var deletions: [(id: String, date: Int64)] = []
        var log: [String] = []
        var lastId = 0
        var pages = 0
        var pushes = 0
        var onPage: (@Sendable (Int) async throws -> Void)?
        var onPush: (@Sendable (Int, [RecordChange]) async throws -> [PushOutcome]?)?
        var onLookUp: (@Sendable () async throws -> Void)?
        /// Called before records are fetched, with the kind of the first change.
        var onFetch: (@Sendable (RecordChange.Kind) async throws -> Void)?
    }

    let clock: ManualClock
    /// The secrets of the session; none unless a test adds some.
    let mask = SecretMask()
    var secretMask: SecretMask? { mask }
    private let state = Mutex(State())

    init(clock: ManualClock) { self.clock = clock }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        throw SoupError(.network, "these targets send no requests")
    }

    func with<T: Sendable>(_ change: (inout sending State) throws -> sending T) rethrows -> T {
        try state.withLock(change)
    }

    var log: [String] { with { $0.log } }

    func note(_ line: String) { with { $0.log.append(line) } }

    /// Clears the log of requests.
    func clearLog() { with { $0.log = [] } }

    /// Saves a record as another client does, by default with the current time.
    func put(_ id: String, _ values: JSONObject, parent: String? = nil, at date: Int64? = nil) {
        let date = date ?? clock.milliseconds
        with { $0.records[id] = Record(id: id, values: values, date: date, parentId: parent) }
    }

    /// Deletes a record as another client does, by default with the current time.
    func remove(_ id: String, at date: Int64? = nil) {
        let date = date ?? clock.milliseconds
        with { state in
            state.records[id] = nil
            state.deletions.append((id, date))
        }
    }

    /// Returns a new ID, as a server assigns it.
    func newId() -> String {
        with {
            $0.lastId += 1
            return "s\($0.lastId)"
        }
    }

    /// All records, one line each.
    var dump: [String] {
        with { state in
            state.records.values.sorted { $0.id < $1.id }.map { record in
                let parent = record.parentId.map { " under \($0)" } ?? ""
                return "\(record.id)\(parent) \(JSONValue.object(record.values)) \(Moment.text(record.date))"
            }
        }
    }
}

/// Times in seconds after the start of the clock.
enum Moment {
    static let start: Int64 = 1_705_320_000_000

    static func text(_ time: Int64) -> String {
        let milliseconds = time - start
        return milliseconds % 1000 == 0 ? "+\(milliseconds / 1000)s" : "+\(milliseconds)ms"
    }

    static func after(_ seconds: Int64) -> Int64 { start + seconds * 1000 }
}

extension FakeServer {
    /// Loses the response to a push.
    ///
    /// - Parameter isApplied: whether the server applies the changes.
    func loseResponse(of push: Int = 1, isApplied: Bool = true) {
        with { state in
            state.onPush = { number, changes in
                guard number == push else { return nil }
                if isApplied { _ = self.apply(changes) }
                return changes.map { _ in .unknown(PushFailure(code: "NO_ANSWER", message: "no answer")) }
            }
        }
    }

    /// Fails the next fetch of records.
    ///
    /// - Parameter kind: the kind of the changes whose records are fetched.
    func failFetch(of kind: RecordChange.Kind) {
        with { state in
            state.onFetch = { requested in
                guard requested == kind else { return }
                self.with { $0.onFetch = nil }
                throw SoupError(.server, "out of order")
            }
        }
    }

    /// Delays every push until the returned gate opens.
    func holdPushes() -> Gate {
        let gate = Gate()
        with {
            $0.onPush = { _, _ in
                try await gate.pass()
                return nil
            }
        }
        return gate
    }
}

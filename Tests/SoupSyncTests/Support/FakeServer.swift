// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// A server that the targets of these tests talk to directly: records with a modification date, queries that keep their
/// result, a list of all that it was asked, and a place to make trouble.
final class FakeServer: HTTPTransport {
    struct Record: Sendable {
        var id: String
        var values: JSONObject
        var date: Int64
        /// For children.
        var parentId: String?
    }

    struct State: Sendable {
        var records: [String: Record] = [:]
        var queries: [[String]] = []
        /// Deleted records and when.
        var deletions: [(id: String, date: Int64)] = []
        var log: [String] = []
        var lastId = 0
        var pages = 0
        var pushes = 0
        var onPage: (@Sendable (Int) async throws -> Void)?
        var onPush: (@Sendable (Int, [RecordChange]) async throws -> [PushOutcome]?)?
        var onAsk: (@Sendable () async throws -> Void)?
        /// Called before records are fetched, with the kind of the first change that they are fetched for.
        var onFetch: (@Sendable (RecordChange.Kind) async throws -> Void)?
    }

    let clock: ManualClock
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

    /// Forgets what it was asked so far.
    func clearLog() { with { $0.log = [] } }

    /// Saves a record as another client would, with the time as it is.
    func put(_ id: String, _ values: JSONObject, parent: String? = nil, at date: Int64? = nil) {
        let date = date ?? clock.now
        with { $0.records[id] = Record(id: id, values: values, date: date, parentId: parent) }
    }

    func remove(_ id: String) {
        let now = clock.now
        with { state in
            state.records[id] = nil
            state.deletions.append((id, now))
        }
    }

    /// A new id, as a server gives it.
    func newId() -> String {
        with {
            $0.lastId += 1
            return "s\($0.lastId)"
        }
    }

    /// The records as lines, for a test that compares all of them.
    var dump: [String] {
        with { state in
            state.records.values.sorted { $0.id < $1.id }.map { record in
                let parent = record.parentId.map { " under \($0)" } ?? ""
                return "\(record.id)\(parent) \(JSONValue.object(record.values)) \(Moment.text(record.date))"
            }
        }
    }
}

/// Times as tests write them: seconds after the moment at which the clock starts.
enum Moment {
    static let start: Int64 = 1_705_320_000_000

    static func text(_ time: Int64) -> String {
        let milliseconds = time - start
        return milliseconds % 1000 == 0 ? "+\(milliseconds / 1000)s" : "+\(milliseconds)ms"
    }

    static func after(_ seconds: Int64) -> Int64 { start + seconds * 1000 }
}

extension FakeServer {
    /// Loses the answer to a push.
    ///
    /// - Parameter isTaken: whether the server has got it.
    func loseAnswer(of push: Int = 1, isTaken: Bool = true) {
        with { state in
            state.onPush = { number, changes in
                guard number == push else { return nil }
                if isTaken { _ = self.take(changes) }
                return changes.map { _ in .unknown(PushFailure(code: "NO_ANSWER", message: "no answer")) }
            }
        }
    }

    /// Answers the next request for records with an error.
    ///
    /// - Parameter kind: of the changes that they are fetched for.
    func failFetch(of kind: RecordChange.Kind) {
        with { state in
            state.onFetch = { asked in
                guard asked == kind else { return }
                self.with { $0.onFetch = nil }
                throw SoupError(.server, "out of order")
            }
        }
    }

    /// Lets every push wait at a gate, and take its usual way when that opens.
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

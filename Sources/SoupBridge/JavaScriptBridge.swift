// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import SoupCore

/// The JavaScript API of Salesforce Mobile SDK over SoupKit's stores and syncs, for web views, browsers and Node.
///
/// A call names a service, an action and JSON arguments, and is answered with a JSON value or an error. Cursors and
/// events belong to a session, whose identifier the client chooses. A session begins with its first call or with
/// ``events(of:)``, and it ends with ``end(session:)``, or when its events are no longer read. A session without a
/// reader of its events ends when it was not used for ``Limits/idleTime``, and earlier if the bridge needs its place
/// for another one. Then its cursors are closed, and the syncs that it started are stopped; the next run of such a
/// sync continues.
///
/// ```swift
/// let bridge = JavaScriptBridge(OpenStores([BridgeStoreName(): BridgeStore(store: kit.store, syncs: kit.syncs)]))
/// let call = BridgeCall(service: "com.salesforce.smartstore", action: "pgGetAllStores")
/// print(try await bridge.perform(call, in: "page 1").answer.json)
/// ```
///
/// Tokens never reach a page: there is no service for logins, and the network service sends its requests itself.
public final class JavaScriptBridge: Sendable {
    /// The number of sessions and cursors that a bridge accepts.
    public struct Limits: Sendable {
        /// The maximum number of sessions.
        ///
        /// A further one takes the place of the session that was not used for the longest time, among those whose
        /// events are not read. If there is none, it is refused.
        public var sessions: Int
        /// The maximum number of open cursors of a session.
        ///
        /// If a session opens another one, the cursor that was not used for the longest time is closed.
        public var cursors: Int
        /// The time without a call and without a running sync after which a session can end that does not read its
        /// events.
        ///
        /// It ends when another session begins, or when it is used again, which begins it again.
        public var idleTime: Duration

        /// Creates limits, by default those of `soup bridge`.
        public init(sessions: Int = 200, cursors: Int = 1000, idleTime: Duration = .seconds(900)) {
            self.sessions = sessions
            self.cursors = cursors
            self.idleTime = idleTime
        }
    }

    private struct State {
        var sessions: [String: BridgeSession] = [:]
        /// The identifiers of sessions that were ended: a call that arrives late must not begin one again.
        var ended: [String] = []

        mutating func end(_ name: String) -> BridgeSession? {
            guard let session = sessions.removeValue(forKey: name) else { return nil }
            if ended.count == 1000 { ended.removeFirst() }
            ended.append(name)
            return session
        }
    }

    let limits: Limits
    private let isWritable: Bool
    private let clock: any SoupClock
    private let services: [String: any BridgeService]
    private let state = Mutex(State())
    private let cursorNumbers = CursorNumbers()

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - stores: opens the stores that calls name.
    ///   - server: sends the requests of the network service, with authorization; nil refuses them.
    ///   - app: the name and the version for `com.salesforce.sdkinfo`.
    ///   - limits: the number of sessions and cursors.
    ///   - clock: measures the time in which a session is not used.
    public convenience init(
        _ stores: any BridgeStores, server: BridgeServer? = nil, app: BridgeApp = BridgeApp(),
        limits: Limits = Limits(), clock: any SoupClock = SystemClock()
    ) {
        self.init(
            [
                StoreService(stores: stores), SyncService(stores: stores), ConflictService(stores: stores),
                NetworkService(server: server), InfoService(app: app),
            ], limits: limits, clock: clock)
    }

    /// Creates a bridge with services for a store that may be read-only.
    package convenience init(
        inspecting stores: any BridgeStores, isWritable: Bool, adding services: [any BridgeService]
    ) {
        self.init(
            [StoreService(stores: stores), SyncService(stores: stores), ConflictService(stores: stores)] + services,
            isWritable: isWritable)
    }

    private init(
        _ services: [any BridgeService], limits: Limits = Limits(), isWritable: Bool = true,
        clock: any SoupClock = SystemClock()
    ) {
        self.limits = limits
        self.clock = clock
        self.isWritable = isWritable
        self.services = Dictionary(uniqueKeysWithValues: services.map { ($0.name, $0) })
    }

    /// Performs a call.
    ///
    /// Calls may be performed at once, also of one session. Each write is one transaction; a call whose task is
    /// cancelled has either written everything or nothing.
    ///
    /// - Parameter session: the identifier of the client's session: 1 to 128 visible ASCII characters.
    /// - Throws: ``SoupError``: `badArgument` for an invalid identifier, `tooManySessions`; then nothing has happened.
    /// - Returns: the answer. Call ``BridgeReply/delivered()`` when the client has it. If the session ends during the
    ///   call, the call is cancelled, and no cursor and no sync of it stays behind.
    public func perform(_ call: BridgeCall, in session: String) async throws -> BridgeReply {
        let session = try hold(session)
        defer { session.release(at: clock.milliseconds) }
        let request = BridgeRequest(call: call, session: session) { [self] in closeCursors(of: $0) }
        let work = Task { await answer(to: request) }
        let number = session.begin(work)
        defer { session.end(call: number) }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        return BridgeReply(result, answered: request.answered)
    }

    /// Returns whether a call changes neither a store nor the server.
    package func isReading(_ call: BridgeCall) -> Bool {
        services[call.service]?.readingActions.contains(call.action) == true
    }

    private func answer(to request: BridgeRequest) async -> BridgeAnswer {
        do {
            guard let service = services[request.call.service] else {
                throw SoupError(
                    .unknownAction, "Class not found: there is no service \"\(request.call.service.excerpt(100))\"",
                    hint: "Known: \(services.keys.sorted().joined(separator: ", ")).")
            }
            guard isWritable || isReading(request.call) || !service.has(request) else {
                throw SoupError(
                    .notSupported, "\(request.call.action) writes, and this bridge is read-only",
                    hint: "Start it so that it can write: soup inspect --write.")
            }
            guard let action = service.action(request.call.action) else {
                throw SoupError(
                    .unknownAction,
                    "Invalid action: \(service.name) has no action \"\(request.call.action.excerpt(100))\"",
                    hint: "Known: \(service.actionNames.joined(separator: ", ")).")
            }
            return .value(try await action(request))
        } catch {
            return BridgeAnswer(error)
        }
    }

    // MARK: - Sessions

    /// Opens the sequence of a session's events; an earlier one of the same session ends.
    ///
    /// Open it before the first call: events that nothing reads are not kept. Call ``end(_:of:)`` when the client no
    /// longer reads it.
    ///
    /// - Throws: as ``perform(_:in:)``.
    public func events(of session: String) throws -> BridgeEvents {
        let session = try hold(session, readingEvents: true)
        defer { session.release(at: clock.milliseconds) }
        return BridgeEvents(queue: session.openEvents())
    }

    /// Ends a session whose client no longer reads its events; if the client has opened others since, nothing happens.
    public func end(_ events: BridgeEvents, of session: String) {
        guard let open = state.withLock({ $0.sessions[session] }), open.reads(events.queue) else { return }
        end(session: session)
    }

    /// Ends a session: closes its cursors and events, and stops its syncs; an unknown one is ignored.
    public func end(session: String) {
        state.withLock { $0.end(session) }?.end()
    }

    /// Ends all sessions.
    public func close() {
        let sessions = state.withLock { state in
            defer { state.sessions = [:] }
            return Array(state.sessions.values)
        }
        for session in sessions { session.end() }
    }

    /// Closes the cursors of all sessions over a store that is removed.
    private func closeCursors(of store: BridgeStoreName) {
        for session in state.withLock({ Array($0.sessions.values) }) { session.closeCursors(of: store) }
    }

    /// The number of sessions.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Returns a session, which begins if it does not exist, and is in use until the caller releases it.
    ///
    /// - Parameter readingEvents: whether the client opens its events; only then does a session that ended begin again.
    private func hold(_ name: String, readingEvents: Bool = false) throws -> BridgeSession {
        guard (1...128).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SoupError(
                .badArgument, "\"\(name.excerpt(100))\" is not an identifier of a session",
                hint: "Use 1 to 128 letters, digits and signs, for example a random number.")
        }
        let now = clock.milliseconds
        let (session, unused) = try state.withLock { state -> (BridgeSession?, [BridgeSession]) in
            // The usual call: the session exists, and is in use.
            if let session = state.sessions[name],
                (session.unusedSince ?? now) >= now - limits.idleTime.milliseconds
            {
                session.hold()
                return (session, [])
            }
            if readingEvents {
                state.ended.removeAll { $0 == name }
            } else if state.ended.contains(name) {
                throw SoupError(
                    .badArgument, "the session has ended, because its client no longer reads its events",
                    hint: "Open the events of the session again, or use another identifier.")
            }
            let unused = removeUnused(from: &state, besides: name, now: now)
            if state.sessions[name] == nil {
                guard state.sessions.count < limits.sessions else { return (nil, unused) }
                state.sessions[name] = BridgeSession(
                    maximumCursors: limits.cursors, cursorNumbers: cursorNumbers, now: now)
            }
            let session = state.sessions[name]
            session?.hold()
            return (session, unused)
        }
        for session in unused { session.end() }
        guard let session else {
            throw SoupError(
                .tooManySessions, "the bridge has \(limits.sessions) sessions, and accepts no further one",
                hint: "End sessions that are not needed, for example by closing their pages.")
        }
        return session
    }

    /// Removes the sessions that were not used for ``Limits/idleTime``; if the bridge is full, also the one that was
    /// not used for the longest time.
    private func removeUnused(from state: inout State, besides name: String, now: Int64) -> [BridgeSession] {
        let unused = state.sessions.compactMap { name, session in session.unusedSince.map { (name: name, since: $0) } }
        var old = unused.filter { $0.since < now - limits.idleTime.milliseconds }
        let isFull = state.sessions[name] == nil && state.sessions.count - old.count >= limits.sessions
        if isFull, let oldest = unused.min(by: { $0.since < $1.since }) { old.append(oldest) }
        return old.compactMap { state.sessions.removeValue(forKey: $0.name) }
    }
}

/// A call, its arguments, and the session that it belongs to.
package struct BridgeRequest: Sendable {
    let call: BridgeCall
    package let arguments: BridgeArguments
    let session: BridgeSession
    /// Closes the cursors of all sessions over a store.
    let closeCursors: @Sendable (BridgeStoreName) -> Void
    /// Fulfilled when the client has the answer.
    let answered = Promise<Void>()

    init(call: BridgeCall, session: BridgeSession, closeCursors: @escaping @Sendable (BridgeStoreName) -> Void) {
        self.call = call
        self.session = session
        self.closeCursors = closeCursors
        arguments = BridgeArguments(call.arguments)
    }

    /// The store that the call names.
    package var store: BridgeStoreName {
        get throws {
            let name = try arguments.text("storeName") ?? ""
            return BridgeStoreName(
                name.isEmpty ? BridgeStoreName.standard : name, isGlobal: try arguments.flag("isGlobalStore") ?? false)
        }
    }

    /// The soup that the call names.
    var soup: SoupName {
        get throws { SoupName(try arguments.requiredText("soupName")) }
    }
}

extension JSONText {
    /// The value of an action without a result.
    static let done = JSONText.string("OK")
}

/// A service of the JavaScript API: a table of actions.
package protocol BridgeService: Sendable {
    /// An action; it returns nil if it has no value.
    typealias Action = @Sendable (BridgeRequest) async throws -> JSONText?

    var name: String { get }
    /// The names of all actions, sorted.
    var actionNames: [String] { get }
    /// The names of the actions that change neither a store nor the server.
    var readingActions: Set<String> { get }
    /// Returns an action; nil for an unknown name.
    func action(_ name: String) -> Action?
}

extension BridgeService {
    fileprivate func has(_ request: BridgeRequest) -> Bool { actionNames.contains(request.call.action) }
}

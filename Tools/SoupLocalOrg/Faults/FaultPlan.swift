// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The combined effect of the faults that apply to a request; it changes nothing itself.
struct FaultPlan {
    /// A change of the org's state that a fault makes before the request is processed.
    enum StateChange {
        case endTokens
        /// Tokens end after a number of calls, and at a time in milliseconds since 1970.
        case limitTokens(calls: Int?, expires: Int64?)
        case endQueries
    }

    /// The effects while the request is processed.
    private(set) var effects = FaultEffects()
    /// The response of a fault; the request is not carried out.
    private(set) var replacement: OrgAnswer?
    /// The point at which the connection breaks.
    private(set) var dropPoint: OrgFault.DropPoint?
    /// The speed at which the body is sent.
    private(set) var pace: LocalOrg.Exchange.Pace?
    /// The changes of the org's state, in order.
    private(set) var changes: [StateChange] = []

    /// Combines the effects of faults.
    ///
    /// - Parameter now: the org's time, in milliseconds since 1970.
    init(_ struck: [Strike], now: Int64) { for strike in struck { add(strike, now: now) } }

    /// Whether the request reaches the org's resources or a replacement.
    var isAnswered: Bool { dropPoint != .accept && dropPoint != .beforeHeaders }

    private mutating func add(_ strike: Strike, now: Int64) {
        if let replacement = OrgAnswer(replacedBy: strike.fault.effect) {
            self.replacement = replacement
            return
        }
        switch strike.fault.effect {
        case .drop(let point): dropPoint = point
        case .refreshFails(.timeout): dropPoint = .beforeHeaders
        case .expireToken: changes.append(.endTokens)
        case .expireTokenLater(let calls, let time):
            changes.append(.limitTokens(calls: calls, expires: time.map { now.plus($0.milliseconds) }))
        case .expireCursors: changes.append(.endQueries)
        case .slowBody(let rate, let place, let stall):
            pace = LocalOrg.Exchange.Pace(bytesPerSecond: rate, stallAfter: place, stall: stall.milliseconds)
        default: effects.add(strike, now: now)
        }
    }
}

extension FaultEffects {
    /// Adds the effect of a fault on the processing of the request, if it has one.
    fileprivate mutating func add(_ strike: Strike, now: Int64) {
        switch strike.fault.effect {
        case .badOAuthToken: hasBadOAuthToken = true
        case .expireCursorsLater(let pages, let time): (cursorPages, cursorLifetime) = (pages, time)
        case .itemError(let error): itemErrors.append(error)
        case .shrinkPages(let rows): pageLimit = rows
        case .jobFail(let message): bulk.failure = message
        case .jobStall(let polls, let time, let state):
            bulk = BulkProcessing(
                failure: bulk.failure, remainingPolls: polls, notBefore: now.plus(time.milliseconds), state: state)
        case .shuffle(let seed):
            var random = strike.random
            shuffleSeed = seed ?? Int64(random.next() >> 2)
        case .reverseIndependent: reversesSubrequests = true
        case .mutateBetweenPages(let changes): self.changes = changes
        case .searchIndexDelay(let time): searchIndexDelay = time
        case .replicationLag(let time): replicationLag = time
        case .lateCommit(let time): transactionTime = time
        case .moveInstance(let url): instanceURL = url
        case .http, .limit, .refreshFails, .drop, .expireToken, .expireTokenLater, .expireCursors, .slowBody: break
        // The pause of a latency is over, and the others change the finished response.
        case .latency, .truncate, .garbage, .duplicateResponse, .gateway: break
        }
    }
}

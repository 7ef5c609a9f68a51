// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The settings of a manager.
public struct SyncSettings: Sendable, Hashable {
    /// The maximum number of concurrent runs; further runs wait for their turn in the order in which they were started.
    ///
    /// The minimum is 1. In addition to this limit, a sync up never runs concurrently with another run on one of its
    /// soups. Two sync ups would push the same change twice, and a sync down would save pages that were fetched before
    /// the push.
    public var maximumConcurrentRuns: Int {
        didSet { maximumConcurrentRuns = max(1, maximumConcurrentRuns) }
    }

    /// The number of records from which a sync down is announced to the store as a bulk load.
    ///
    /// A sync down into an empty soup is always announced.
    public var bulkLoadThreshold: Int

    /// The pauses before a sync up retries a record that was locked on the server; one pause per retry.
    ///
    /// Each pause is shortened by a random amount of up to one half, so that two clients do not retry at the same time
    /// again. After the last retry, the records count as failed.
    public var lockPauses: [Duration]

    /// The pauses before ``SyncManager/watch(_:every:debounce:onRound:follow:)`` checks for changes of other processes.
    ///
    /// They apply to a backend without the capability `foreignChanges`; one with it reports these changes itself. Each
    /// pause is at least a second. The last one repeats. After a change, in this process or another, the first pause is
    /// used again. If the list is empty, such a backend reports only the changes of this process.
    public var watchPauses: [Duration] {
        didSet { watchPauses = watchPauses.map { max(.seconds(1), $0) } }
    }

    /// The way to find deletions for sync downs whose targets support `deletes` and do not choose it.
    ///
    /// Nil, the default, means `compare`, as in the mobile SDKs; `SoupClient` uses the setting of `org.json` then.
    public var deletes: DeleteMode?

    /// The share of the API's requests of 24 hours at which syncs pause, from 0 to 1; 1 means until all are used.
    ///
    /// A lower value counts as 0, a higher one as 1.
    ///
    /// The server reports the used requests with each response (`Sforce-Limit-Info`). From other servers than
    /// Salesforce, no limit is known. A run pauses before its next page or batch: it ends STOPPED with
    /// `SyncState/pausedAtUsage`, and the next run continues. Nil, the default, means 0.95; `SoupClient` uses the
    /// setting of `org.json` then.
    public var requestLimit: Double?

    /// The value of ``requestLimit`` by default.
    package static let standardRequestLimit = 0.95
    /// The value of ``requestLimit``, or the default.
    var usableShare: Double {
        guard let requestLimit, !requestLimit.isNaN else { return Self.standardRequestLimit }
        return min(max(requestLimit, 0), 1)
    }

    /// Creates settings; a maximum number of runs below 1 is raised to 1, and any threshold is accepted.
    public init(
        maximumConcurrentRuns: Int = 4, bulkLoadThreshold: Int = 10_000,
        lockPauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)],
        watchPauses: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }, deletes: DeleteMode? = nil,
        requestLimit: Double? = nil
    ) {
        self.watchPauses = watchPauses.map { max(.seconds(1), $0) }
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
        self.bulkLoadThreshold = bulkLoadThreshold
        self.lockPauses = lockPauses
        self.deletes = deletes
        self.requestLimit = requestLimit
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A row of `syncs_soup`: the public state of a sync, and internal values of the engine.
///
/// The keys of the mobile SDKs are in ``SyncState``. The engine's own keys are `maxTimeStampInclusive`, `partMarks`,
/// `starts`, `resume`, `syncToken`, `deletionsCovered`, `deletionsUnconfirmed`, `childrenUnseen`, `deletionsHeld`,
/// `waitingForLogin`, `pausedAtUsage`, `oneShot`, `failed`, `unknown`, `conflicted` and `skipped`. The whole row is
/// written when the sync is created. After that, only the members that change are stamped, so that all other members
/// are kept, in particular those in `target`.
struct SyncRow: Sendable, Hashable {
    var state: SyncState
    /// The high-water mark of earlier runs.
    var mark: HighWaterMark? {
        didSet { state.times.mark = mark?.milliseconds ?? -1 }
    }
    /// For trees: the high-water marks of the children, one element for each level after the first.
    var levelMarks: [HighWaterMark?] = []
    /// The times from which the next query starts, which are earlier than the marks by the target's lookback.
    var starts = QueryStarts()
    /// The point from which to resume an unfinished sync down.
    var resume: ResumePoint?
    /// The token of the last complete run, for targets whose server reports changes since a token.
    var syncToken: String?
    /// The period whose deletions on the server have been applied to the entries of the sync.
    ///
    /// `nil` if unknown; then all IDs have to be compared.
    var deletionsCovered: CoveredDeletions?
    /// The entries that were kept because of local changes although their records were deleted on the server.
    ///
    /// The server reports a deletion only once. If the local changes are discarded, these records have to be looked up
    /// again.
    var deletionsHeld: [HeldDeletion] = []
    /// Whether the sync is a one-time sync, whose row is deleted later; see ``isOver`` and ``isAbandoned``.
    var isOneShot: Bool
    /// The modification date in the store from which on an edit was made after the run began; not saved.
    ///
    /// `nil` for a run that continues after the process was killed: the time in the state is used instead.
    var startDate: Int64?

    init(state: SyncState, mark: HighWaterMark? = nil, resume: ResumePoint? = nil, isOneShot: Bool = false) {
        self.state = state
        self.mark = mark
        self.resume = resume
        self.isOneShot = isOneShot
    }

    /// Creates the row of a sync that has never run.
    init(_ definition: SyncDefinition, isOneShot: Bool) {
        self.init(state: SyncState(id: 0, definition: definition), isOneShot: isOneShot)
    }

    /// Reads a row; missing members have the meaning that the mobile SDKs give them.
    ///
    /// Implausible numbers count as missing.
    ///
    /// - Throws: ``SoupError`` if the row has no known type, no soup or an unknown merge mode, because a run with
    ///   guessed values could change the wrong records.
    init(_ entry: SoupEntry) throws {
        let json = entry.stored.value
        func error(_ fault: String) -> SoupError {
            SoupError(
                .badConfiguration, "row \(entry.id) of syncs_soup \(fault)",
                hint: "Delete the sync and create it again."
            )
        }
        guard let type = json["type"]?.stringValue.flatMap(SyncType.init) else { throw error("has no known type") }
        guard let soup = json["soupName"]?.stringValue else { throw error("names no soup") }
        let options: SyncOptions
        do {
            options = try SyncOptions(json: json["options"] ?? [:])
        } catch let cause as SoupError {
            throw error("has unusable options: \(cause.message)")
        }
        let definition = SyncDefinition(
            name: json["name"]?.stringValue, type: type, soup: SoupName(soup),
            target: TargetReference(json["target"] ?? [:]),
            options: options)
        func time(_ key: String, _ absent: Int64) -> Int64 {
            json[key]?.plausibleTime ?? absent
        }
        var state = SyncState(
            id: entry.id, definition: definition,
            status: json["status"]?.stringValue.flatMap(SyncStatus.init) ?? .failed,
            progress: Int(min(max(json["progress"]?.intValue ?? 0, 0), 100)),
            totalSize: json["totalSize"]?.plausibleCount ?? -1, error: json["error"]?.stringValue ?? "",
            isWaitingForLogin: json["waitingForLogin"]?.boolValue ?? false)
        let usage = json["pausedAtUsage"]?.arrayValue?.compactMap(\.plausibleCount) ?? []
        if usage.count == 2 { state.pausedAtUsage = APIUsage(used: usage[0], maximum: usage[1]) }
        state.times = SyncState.Times(
            mark: time("maxTimeStamp", -1), start: time("startTime", 0), end: time("endTime", 0))
        func count(_ key: String) -> Int { json[key]?.plausibleCount ?? 0 }
        (state.unsynced.failed, state.unsynced.unknown) = (count("failed"), count("unknown"))
        (state.unsynced.conflicted, state.unsynced.skipped) = (count("conflicted"), count("skipped"))
        // Rows of the mobile SDKs do not have this member. An inclusive mark is always safe.
        let isInclusive = json["maxTimeStampInclusive"]?.boolValue ?? true
        self.init(
            state: state,
            mark: state.times.mark > 0 ? HighWaterMark(milliseconds: state.times.mark, inclusive: isInclusive) : nil,
            resume: json["resume"].flatMap { ResumePoint($0) }, isOneShot: json["oneShot"]?.boolValue ?? false)
        deletionsCovered = CoveredDeletions(row: json)
        deletionsHeld = (json["deletionsHeld"]?.arrayValue ?? []).compactMap { HeldDeletion($0) }
        syncToken = json["syncToken"]?.stringValue
        levelMarks = (json["partMarks"]?.arrayValue ?? []).map { HighWaterMark(json: $0) }
        starts = QueryStarts(json["starts"])
    }

    /// The row as it is stored when it is created.
    var json: JSONValue {
        var row = state.json
        row[EntryField.entryId] = nil
        if isOneShot { row["oneShot"] = true }
        return row
    }

    /// Whether the row is no longer needed: the sync is a one-time sync, and no later run could resume it.
    ///
    /// Changes that a sync up did not push stay dirty, and any later sync up of the soup pushes them.
    var isOver: Bool {
        isOneShot && (state.status == .done || (state.status == .failed && state.definition.type == .syncUp))
    }

    /// Whether the row of an earlier process is useless: the sync is a one-time sync and has no point to resume from.
    var isAbandoned: Bool { isOneShot && resume == nil }

    /// Returns a query for the missing records.
    ///
    /// - Parameters:
    ///   - since: see ``QueryProgress/since``.
    ///   - lookback: the target's lookback in milliseconds.
    ///   - skipsLookback: whether the query starts from the marks, and not before them.
    func newQuery(since: Int64, lookback: Int64, skipsLookback: Bool = false) -> QueryProgress {
        var query = QueryProgress(base: mark, since: since, levelBases: levelMarks)
        query.lookback = lookback
        query.skipsLookback = skipsLookback && mark != nil && starts.first != nil
        func start(_ mark: HighWaterMark?, _ saved: HighWaterMark?) -> HighWaterMark? {
            guard let mark else { return nil }
            if query.skipsLookback { return saved.map { max($0, mark) } ?? mark }
            guard let saved else {
                // The row was saved by an earlier version, or by a mobile SDK.
                return lookback == 0
                    ? mark : HighWaterMark(milliseconds: mark.milliseconds - lookback, inclusive: true)
            }
            return saved
        }
        query.start = start(mark, starts.first)
        for position in query.levels.indices {
            let saved = starts.levels.indices.contains(position) ? starts.levels[position] : nil
            query.levels[position].start = start(query.levels[position].base, saved)
        }
        return query
    }

    /// Removes the progress, so that the next run fetches all records.
    mutating func restart() {
        mark = nil
        levelMarks = []
        starts = QueryStarts()
        resume = nil
        syncToken = nil
        deletionsCovered = nil
        deletionsHeld = []
    }

    /// Updates the row at the start of a run.
    mutating func begin(at now: Int64) {
        if state.status != .running { state.times.start = now }
        state.status = .running
        // A run that resumes continues from its progress, also if it pauses before the next page.
        if resume == nil {
            state.progress = 0
            state.totalSize = -1
        }
        state.error = ""
        state.isWaitingForLogin = false
        state.pausedAtUsage = nil
        state.unsynced = SyncState.UnsyncedCounts()
    }

    /// Updates the row at the end of a run that ended early: FAILED with an error, STOPPED without.
    ///
    /// If the session has expired, the sync is STOPPED and waits for a login. If the limit of requests is reached, it
    /// is STOPPED, too.
    ///
    /// - Parameter usage: the number of used requests, if it reaches the limit.
    mutating func end(_ error: SoupError?, usage: APIUsage? = nil, at now: Int64) {
        let isPaused = error?.code == .requestLimit
        state.isWaitingForLogin = error?.code == .sessionExpired
        state.pausedAtUsage = isPaused ? (error?.cause as? RequestLimitReached)?.usage ?? usage : nil
        let isStopped = error == nil || isPaused || state.isWaitingForLogin
        state.status = isStopped ? .stopped : .failed
        // If the server has refused a request without a number, only the message contains the reason of the pause.
        state.error = isStopped && (!isPaused || state.pausedAtUsage != nil) ? "" : error?.description ?? ""
        state.times.end = now
        // These errors are not caused by the cursor.
        guard let error, !error.concernsAllRequests else { return }
        resume?.failures += 1
        if let failures = resume?.failures, failures >= ResumePoint.maximumFailures { resume = nil }
    }

    /// The members that change while a sync runs.
    var stamp: RecordBatch.Stamp {
        var stamp = RecordBatch.Stamp()
            .setting("status", .string(state.status.rawValue))
            .setting("progress", .integer(state.progress))
            .setting("totalSize", .integer(state.totalSize))
            .setting("maxTimeStamp", .integer(state.times.mark))
            .setting("startTime", .integer(state.times.start))
            .setting("endTime", .integer(state.times.end))
            .setting("error", .string(state.error))
            .setting("maxTimeStampInclusive", mark.map { $0.inclusive ? .true : .false })
            .setting("waitingForLogin", state.isWaitingForLogin ? .true : nil)
        stamp = stamp.setting(
            "pausedAtUsage",
            state.pausedAtUsage.map { .array([.integer($0.used), .integer($0.maximum)]) })
        for (name, count) in state.unsynced.counts {
            stamp = stamp.setting(name, count > 0 ? .integer(count) : nil)
        }
        let marks = JSONValue.array(levelMarks.map { $0?.json ?? .null })
        stamp = stamp.setting("partMarks", levelMarks.isEmpty ? nil : try? marks.jsonText())
        stamp = stamp.setting("starts", try? starts.json?.jsonText())
        stamp = stamp.setting("syncToken", syncToken.map { .string($0) })
        stamp = deletionsCovered.setting(stamp)
        stamp = stamp.setting("deletionsHeld", HeldDeletion.text(of: deletionsHeld))
        stamp = stamp.setting("resume", resume.flatMap { try? $0.json.jsonText() })
        return stamp
    }
}

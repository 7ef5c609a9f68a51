// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A row of `syncs_soup`: the state that everybody sees, and what the engine keeps beside it.
///
/// The keys of the mobile SDKs are in ``SyncState``. Ours are `maxTimeStampInclusive`, `partMarks`, `resume`,
/// `deletionsCovered`, `deletionsHeld`, `waitingForLogin`, `oneShot`, `failed`, `unknown`, `conflicted` and `skipped`.
/// A row is written whole when the sync is created; afterwards only the members that change are stamped on it, so that
/// whatever else is in it, and above all in `target`, survives.
struct SyncRow: Sendable, Hashable {
    var state: SyncState
    /// How far earlier runs got.
    var mark: HighWaterMark? {
        didSet { state.maxTimeStamp = mark?.time ?? -1 }
    }
    /// For trees: how far the children of each part behind the first have come.
    var partMarks: [HighWaterMark?] = []
    /// Where an unfinished sync down goes on.
    var resume: ResumePoint?
    /// The time up to which the deletions of the server have been applied to the entries of the sync; nil when nobody
    /// knows, and then all ids have to be compared.
    var deletionsCovered: Int64?
    /// The entries that outlived the deletion of their records because of local changes.
    ///
    /// The server tells a deletion once; when the local changes are taken back, these have to be asked for again.
    var deletionsHeld: [HeldDeletion] = []
    /// Whether the sync is for one time, and its row goes away: see ``isOver`` and ``isAbandoned``.
    var isOneShot: Bool

    init(state: SyncState, mark: HighWaterMark? = nil, resume: ResumePoint? = nil, isOneShot: Bool = false) {
        self.state = state
        self.mark = mark
        self.resume = resume
        self.isOneShot = isOneShot
    }

    /// The row of a sync that never ran.
    init(_ definition: SyncDefinition, isOneShot: Bool) {
        self.init(state: SyncState(id: 0, definition: definition), isOneShot: isOneShot)
    }

    /// Reads a row; missing members mean what they mean to the mobile SDKs, and numbers that cannot be count as
    /// missing.
    ///
    /// - Throws: ``SoupError`` when the row has no known type, no soup or an unknown merge mode: running it by guess
    ///   could move the wrong records.
    init(_ entry: SoupEntry) throws {
        let json = entry.stored.value
        func fail(_ what: String) -> SoupError {
            SoupError(
                .badConfiguration, "row \(entry.id) of syncs_soup \(what)", hint: "Delete the sync and create it anew.")
        }
        guard let type = json["type"]?.stringValue.flatMap(SyncType.init) else { throw fail("has no known type") }
        guard let soup = json["soupName"]?.stringValue else { throw fail("names no soup") }
        let options = json["options"]
        var mode = MergeMode.overwrite
        if let text = options?["mergeMode"]?.stringValue {
            guard let known = MergeMode(rawValue: text) else { throw fail("has the unknown merge mode \"\(text)\"") }
            mode = known
        }
        let definition = SyncDefinition(
            name: json["name"]?.stringValue, type: type, soup: SoupName(soup),
            target: TargetReference(json["target"] ?? [:]),
            options: SyncOptions(
                mergeMode: mode, fieldlist: options?["fieldlist"]?.arrayValue?.compactMap(\.stringValue),
                conflictResolver: options?["conflictResolver"].map { ResolverReference($0) },
                removesAllGhosts: options?["removeAllGhosts"]?.boolValue ?? false))
        func time(_ key: String, _ absent: Int64) -> Int64 {
            json[key]?.intValue.flatMap { Timestamp.plausible.contains($0) ? $0 : nil } ?? absent
        }
        var state = SyncState(
            id: entry.id, definition: definition,
            status: json["status"]?.stringValue.flatMap(SyncStatus.init) ?? .failed,
            progress: Int(min(max(json["progress"]?.intValue ?? 0, 0), 100)),
            totalSize: json["totalSize"]?.plausibleCount ?? -1, maxTimeStamp: time("maxTimeStamp", -1),
            startTime: time("startTime", 0), endTime: time("endTime", 0), error: json["error"]?.stringValue ?? "",
            isWaitingForLogin: json["waitingForLogin"]?.boolValue ?? false)
        func count(_ key: String) -> Int { json[key]?.plausibleCount ?? 0 }
        (state.leftBehind.failed, state.leftBehind.unknown) = (count("failed"), count("unknown"))
        (state.leftBehind.conflicted, state.leftBehind.skipped) = (count("conflicted"), count("skipped"))
        // A row that the mobile SDKs wrote does not tell; to include the instant again is never wrong.
        let isInclusive = json["maxTimeStampInclusive"]?.boolValue ?? true
        self.init(
            state: state,
            mark: state.maxTimeStamp > 0 ? HighWaterMark(time: state.maxTimeStamp, inclusive: isInclusive) : nil,
            resume: json["resume"].flatMap { ResumePoint($0) }, isOneShot: json["oneShot"]?.boolValue ?? false)
        deletionsCovered = json["deletionsCovered"]?.intValue.flatMap { Timestamp.plausible.contains($0) ? $0 : nil }
        deletionsHeld = (json["deletionsHeld"]?.arrayValue ?? []).compactMap { HeldDeletion($0) }
        partMarks = (json["partMarks"]?.arrayValue ?? []).map { HighWaterMark(json: $0) }
    }

    /// The row as it is stored when it is new.
    var json: JSONValue {
        var row = state.json
        row[EntryField.entryId] = nil
        if isOneShot { row["oneShot"] = true }
        return row
    }

    /// Whether nobody will need the row any more: it is for one time, and no later run could go on from it.
    ///
    /// Whatever a sync up did not send is still dirty, and goes with the next one, whichever that is.
    var isOver: Bool {
        isOneShot && (state.status == .done || (state.status == .failed && state.definition.type == .syncUp))
    }

    /// Whether the row of an earlier process is of no use: it is for one time, and a run of it would begin anew.
    var isAbandoned: Bool { isOneShot && resume == nil }

    /// A query for what is missing, by the marks of the row.
    func newQuery(since: Int64) -> QueryProgress { QueryProgress(base: mark, since: since, partBases: partMarks) }

    /// Turns the row into that of a run that begins.
    mutating func begin(at now: Int64) {
        if state.status != .running { state.startTime = now }
        state.status = .running
        state.progress = 0
        state.totalSize = -1
        state.error = ""
        state.isWaitingForLogin = false
        state.leftBehind = SyncState.LeftBehind()
    }

    /// Turns the row into that of a run that ended early: FAILED with an error, STOPPED without.
    ///
    /// A session that is over is no failure of the sync: it is STOPPED and waits for a login.
    mutating func end(_ error: SoupError?, at now: Int64) {
        state.isWaitingForLogin = error?.code == .sessionExpired
        let failure = state.isWaitingForLogin ? nil : error
        state.status = failure == nil ? .stopped : .failed
        state.error = failure?.description ?? ""
        state.endTime = now
        // What says nothing of the cursor.
        guard let error, ![.network, .sessionExpired, .unavailable].contains(error.code) else { return }
        resume?.failures += 1
        if let failures = resume?.failures, failures >= ResumePoint.maximumFailures { resume = nil }
    }

    /// The members that change while a sync runs.
    var stamp: Stamp {
        var stamp = Stamp()
            .setting("status", .string(state.status.rawValue))
            .setting("progress", .integer(state.progress))
            .setting("totalSize", .integer(state.totalSize))
            .setting("maxTimeStamp", .integer(state.maxTimeStamp))
            .setting("startTime", .integer(state.startTime))
            .setting("endTime", .integer(state.endTime))
            .setting("error", .string(state.error))
            .setting("maxTimeStampInclusive", mark.map { $0.inclusive ? .true : .false })
            .setting("deletionsCovered", deletionsCovered.map { .integer($0) })
            .setting("waitingForLogin", state.isWaitingForLogin ? .true : nil)
        for (name, count) in state.leftBehind.counts {
            stamp = stamp.setting(name, count > 0 ? .integer(count) : nil)
        }
        let marks = JSONValue.array(partMarks.map { $0?.json ?? .null })
        stamp = stamp.setting("partMarks", partMarks.isEmpty ? nil : try? marks.jsonText())
        stamp = stamp.setting("deletionsHeld", HeldDeletion.text(of: deletionsHeld))
        stamp = stamp.setting("resume", resume.flatMap { try? $0.json.jsonText() })
        return stamp
    }
}

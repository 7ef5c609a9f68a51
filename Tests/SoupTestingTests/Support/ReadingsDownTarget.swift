// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Foundation
import SoupCore
import SoupTesting

/// The fault of a target in these tests.
enum DownFault: String, CaseIterable {
    case none
    case acceptsAnyConfiguration
    case neverEnds
    case repeatsItsCursor
    case omitsARecordAtTimes
    case returnsNoIds
    case ignoresErrors
    case ignoresCancellation
    case reportsNoSurvivorsOnErrors
    case declaresWrongOrder
    case returnsWrongTotal
    case excludesTheMark
    case confirmsUnknownIds
    case confirmsUnknownRecords
    case treatsErrorsAsMissingRecords
    case looksUpRecords
    case reportsChanges
    case missesChanges
    case reportsOtherChanges
    case ignoresTheLimit
    case treatsErrorsAsNoChanges
    case endsOnErrors
    case sendsNoRequests
    case namesWrongDateField
    case announcesWrongPage
    case ignoresExpectedCount
    case treatsNotFoundAsDeleted
    case treatsMissingRecordsAsDeleted
    case treatsRecordsWithoutIdsAsDeleted
    case acceptsImpossibleIds
    case rejectsServerIds
    case omitsADate
    case removesADate
    case stampsDates
    case ignoresDeletionErrors
    case reportsAllDeletions
    case countsPages
    case storesNumbers
    case acceptsAnyCursor
    case restartsAtUnknownCursors
    case failsAtUnknownCursors
    case reportsDeletions
    case reportsLiveRecordsAsDeleted
    case reportsNoDeletions
    case reportsOtherDeletions
    case coversNoPeriod
    case reportsNoIdsAsDeleted
    case usesTokens
    case returnsTokenEarly
    case ignoresUnknownTokens
    case failsForUnknownTokens
    case listsDeletions
    case listsLiveRecordsAsDeleted
    case listsDeletionsAtTimes

    static let ofDeletions: Set<DownFault> = [
        .reportsDeletions, .reportsLiveRecordsAsDeleted, .reportsNoDeletions, .reportsOtherDeletions, .coversNoPeriod,
        .reportsNoIdsAsDeleted,
    ]
    static let ofChanges: Set<DownFault> = [
        .reportsChanges, .missesChanges, .reportsOtherChanges, .ignoresTheLimit, .treatsErrorsAsNoChanges,
    ]
    static let ofTokens: Set<DownFault> = [
        .usesTokens, .returnsTokenEarly, .ignoresUnknownTokens, .failsForUnknownTokens,
    ]
}

/// A target for a list of readings, with a fault that its configuration selects.
struct ReadingsDownTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var station: String?
        var fault: String?
    }

    static let name: PluginName = "readings"
    let fault: DownFault
    var ordersByModificationDate: Bool { fault == .declaresWrongOrder }
    var modificationDateField: String {
        [.namesWrongDateField, .stampsDates].contains(fault) ? "Changed" : "LastModifiedDate"
    }

    init(configuration: Configuration) throws {
        fault = DownFault(rawValue: configuration.fault ?? "") ?? .none
        if configuration.station == nil, fault != .acceptsAnyConfiguration {
            throw SoupError(.badConfiguration, "no station", place: SoupError.Place(path: "station"))
        }
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        if fault == .sendsNoRequests { return RecordPage(RecordBatch(try [JSONText(#"{"Id":"x"}"#)])) }
        do {
            let mark = context.highWaterMark.map { $0.time.millisecondsSince1970 + (fault == .excludesTheMark ? 1 : 0) }
            let since = mark.map { "&since=\($0)" } ?? ""
            let answer = try await context.get("/readings?limit=2\(since)" + after(cursor, in: context))
            var page = try RecordPage(
                answer, recordsAt: "readings", nextAt: "next", totalAt: "total",
                totalIsExact: fault != .ignoresExpectedCount)
            if fault == .neverEnds, page.next == nil { page.next = PageCursor("r0") }
            if fault == .repeatsItsCursor, let cursor { page.next = cursor }
            if fault == .omitsARecordAtTimes, cursor == nil, context.clock.milliseconds.isMultiple(of: 2) {
                page.levels[0] = page.levels[0].filter { $0 > 0 }
            }
            if fault == .returnsNoIds { page.levels = [RecordBatch(try [JSONText("{}")])] }
            if fault == .returnsWrongTotal { page.totalSize = 99 }
            // The suite also sends pages without records, and with fewer than the server announces.
            if fault == .omitsADate, cursor == nil, !page.levels[0].isEmpty {
                let others = (1..<page.levels[0].count).map { page.levels[0][$0] }
                page.levels[0] = RecordBatch([try JSONText(#"{"Id":"r0"}"#)] + others)
            }
            if fault == .removesADate {
                page.levels[0] = page.levels[0].stamping([0: RecordBatch.Stamp.none.setting("LastModifiedDate", nil)])
            }
            if fault == .stampsDates {
                let stamps = (0..<page.levels[0].count).map { index in
                    (index, RecordBatch.Stamp.none.setting("Changed", page.levels[0].date(at: index)))
                }
                page.levels[0] = page.levels[0].stamping(Dictionary(uniqueKeysWithValues: stamps))
            }
            page.isNextTemporary = fault == .countsPages
            addDeletions(to: &page, in: context)
            if DownFault.ofTokens.contains(fault), page.next == nil || fault == .returnsTokenEarly {
                page.syncToken = "token"
            }
            if let next = page.next { context.announceNext(fault == .announcesWrongPage ? PageCursor("9") : next) }
            return page
        } catch let error as SoupError where fault == .ignoresErrors || fault == .endsOnErrors && cursor != nil {
            _ = error
            return RecordPage(.empty)
        } catch is CancellationError where fault == .ignoresCancellation {
            return RecordPage(.empty)
        } catch let error as SoupError where cursor != nil && error.message.contains("NO_SUCH_READING") {
            if fault == .acceptsAnyCursor { return RecordPage(.empty) }
            throw fault == .failsAtUnknownCursors ? error : SoupError(.cursorExpired, "no such reading")
        }
    }

    /// Returns the parameters of a page and of a token.
    private func after(_ cursor: PageCursor?, in context: SyncContext) throws -> String {
        if let token = context.syncToken, token != "token", fault != .ignoresUnknownTokens {
            throw SoupError(fault == .failsForUnknownTokens ? .server : .cursorExpired, "unknown token")
        }
        guard let cursor else { return "" }
        let number = Int(cursor.rawValue.dropFirst())
        if fault == .countsPages || fault == .storesNumbers {
            guard let number else { throw SoupError(.cursorExpired, "no number") }
            return "&page=\((number + 1) / 2)"
        }
        if fault == .restartsAtUnknownCursors, number == nil { return "" }
        return "&after=\(URLText.query(cursor.rawValue))"
    }

    private func addDeletions(to page: inout RecordPage, in context: SyncContext) {
        switch fault {
        case .listsDeletions: page.deletedIds = [["gone"]]
        case .listsLiveRecordsAsDeleted: page.deletedIds = [["r1"]]
        case .listsDeletionsAtTimes: page.deletedIds = context.clock.milliseconds.isMultiple(of: 2) ? [["gone"]] : []
        default: break
        }
    }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        if fault == .confirmsUnknownIds { return Set(ids) }
        do {
            let asked = URLText.query(ids.joined(separator: ","))
            let answer = try await context.send(.get, "/ids?of=\(asked)")
            if fault == .treatsNotFoundAsDeleted, answer.status == 404 { return [] }
            guard answer.isSuccess else { throw answer.failure(of: "GET", "/ids") }
            let json = try answer.json().value
            guard let total = json["total"]?.intValue, let known = json["ids"]?.arrayValue else {
                throw SoupError(.json, "no list of ids")
            }
            guard Int(total) == known.count || fault == .treatsMissingRecordsAsDeleted else {
                throw SoupError.incomplete("the list of ids", expected: Int(total), count: known.count)
            }
            let found = known.compactMap { $0["Id"]?.stringValue }
            guard found.count == known.count || fault == .treatsRecordsWithoutIdsAsDeleted else {
                throw SoupError(.json, "a record has no id")
            }
            return Set(ids).intersection(found)
        } catch let error as SoupError where fault == .reportsNoSurvivorsOnErrors {
            _ = error
            return []
        }
    }

    func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        switch fault {
        case .confirmsUnknownRecords: return Set(ids)
        case .looksUpRecords: return try await survivors(of: ids, level: level, in: context)
        case .treatsErrorsAsMissingRecords:
            do {
                return try await survivors(of: ids, level: level, in: context)
            } catch is SoupError {
                return []
            }
        default: return nil
        }
    }

    func changedIds(
        since time: Date, level: Int, limit: Int, in context: SyncContext
    ) async throws -> ChangeReport? {
        guard DownFault.ofChanges.contains(fault) else { return nil }
        do {
            let known = try (await context.get("/ids")).json()["ids"]?.arrayValue
            guard var ids = known?.compactMap({ $0["Id"]?.stringValue }), !ids.isEmpty else {
                throw SoupError(.json, "no list of ids")
            }
            if fault == .missesChanges { ids.removeFirst() }
            if fault == .reportsOtherChanges { ids.append("x\(context.clock.milliseconds)") }
            return ids.count > limit && fault != .ignoresTheLimit ? .incomplete : .complete(ids: ids)
        } catch let error as SoupError where fault == .treatsErrorsAsNoChanges {
            _ = error
            return .complete(ids: [])
        }
    }

    func isPossibleId(_ id: String, level: Int) -> Bool {
        if fault == .rejectsServerIds { return id != "r0" }
        return fault == .acceptsImpossibleIds || !id.unicodeScalars.contains { $0.value < 0x20 }
    }

    func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        if fault == .reportsAllDeletions {
            _ = try await context.get("/deleted")
            return .complete(ids: [], coveredUntil: time ?? Date(timeIntervalSince1970: 0))
        }
        guard fault == .ignoresDeletionErrors || DownFault.ofDeletions.contains(fault) else { return nil }
        guard let time else { return .incomplete }
        if DownFault.ofDeletions.contains(fault) { return try await report(since: time, in: context) }
        _ = try? await context.get("/deleted")
        return .complete(ids: [], coveredUntil: time)
    }

    private func report(since time: Date, in context: SyncContext) async throws -> DeletionReport {
        let answer = try await context.get("/deleted")
        guard var ids = try answer.json()["ids"]?.arrayValue?.compactMap(\.stringValue) else {
            throw SoupError(.json, "no list of deletions")
        }
        switch fault {
        case .reportsLiveRecordsAsDeleted: ids.append("r1")
        case .reportsNoDeletions: ids = []
        case .reportsOtherDeletions: ids.append("x\(context.clock.milliseconds)")
        case .reportsNoIdsAsDeleted: ids.append("")
        default: break
        }
        return .complete(ids: ids, coveredUntil: fault == .coversNoPeriod ? .distantPast : time)
    }
}

extension RecordBatch {
    /// The date in the bytes of a record.
    fileprivate func date(at index: Int) -> JSONText? {
        self[index].value["LastModifiedDate"]?.stringValue.map { .string($0) }
    }
}

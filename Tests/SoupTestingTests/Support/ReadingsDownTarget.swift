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
        let number = Int(cursor?.rawValue ?? "") ?? 0
        if fault == .sendsNoRequests { return RecordPage(RecordBatch(try [JSONText(#"{"Id":"x"}"#)])) }
        do {
            let mark = context.highWaterMark.map { $0.time.millisecondsSince1970 + (fault == .excludesTheMark ? 1 : 0) }
            let since = mark.map { "&since=\($0)" } ?? ""
            let answer = try await context.get("/readings?page=\(number)\(since)")
            var page = try RecordPage(
                answer, recordsAt: "readings", nextAt: "next", totalAt: "total",
                totalIsExact: fault != .ignoresExpectedCount)
            if fault == .neverEnds, page.next == nil { page.next = PageCursor("0") }
            if fault == .repeatsItsCursor, cursor != nil { page.next = PageCursor("\(number)") }
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
            if let next = page.next { context.announceNext(fault == .announcesWrongPage ? PageCursor("9") : next) }
            return page
        } catch let error as SoupError where fault == .ignoresErrors || fault == .endsOnErrors && cursor != nil {
            _ = error
            return RecordPage(.empty)
        } catch is CancellationError where fault == .ignoresCancellation {
            return RecordPage(.empty)
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

    func isPossibleId(_ id: String, level: Int) -> Bool {
        if fault == .rejectsServerIds { return id != "r0" }
        return fault == .acceptsImpossibleIds || !id.unicodeScalars.contains { $0.value < 0x20 }
    }

    func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        if fault == .reportsAllDeletions {
            _ = try await context.get("/deleted")
            return .complete(ids: [], coveredUntil: time ?? Date(timeIntervalSince1970: 0))
        }
        guard fault == .ignoresDeletionErrors else { return nil }
        guard let time else { return .incomplete }
        _ = try? await context.get("/deleted")
        return .complete(ids: [], coveredUntil: time)
    }
}

extension RecordBatch {
    /// The date in the bytes of a record.
    fileprivate func date(at index: Int) -> JSONText? {
        self[index].value["LastModifiedDate"]?.stringValue.map { .string($0) }
    }
}

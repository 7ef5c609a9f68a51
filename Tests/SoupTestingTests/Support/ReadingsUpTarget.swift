// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// The fault of a target in the tests of the suite.
enum UpFault: String, CaseIterable {
    case none
    case requestsForEmptyBatch
    case dropsAnOutcome
    case returnsNoIds
    case repeatsAnId
    case reversesOutcomes
    case throwsOnRefusal
    case throwsOnLostResponse
    case skipsOnLostResponse
    case notRetryableWhenUnsent
    case unknownWhenUnsent
    case returnsInvalidDates
    case guessesStates
    case setsIsGoneOnRefusal
    case declaresWrongIdempotence
    case findsNoCreation
    case treatsLookupErrorAsMissing
    case supportsNoLookup
    case reportsStatesAtTimes
    case reportsNoStatesOnErrors
    case returnsNoStates
    case hasBatchSizeOne
    case supportsNoFetch
    case dropsARecord
    case dropsARecordOfUpdates
    case findsNoRecord
    case treatsFetchErrorAsMissing
    case returnsOtherValues
    case returnsOtherFields
    case returnsNoDate
    case treatsAny404AsGone
    case treatsAnyStatusAsRefusal
    case resendsCreations
    case acceptsAnyId
    case treatsAny404AsDeleted
    case trustsWrongPaths
    case sendsTemporaryIds
    case recognizesNoMissingRecord
    case reportsMissingRecordsAsChanged
    case findsOthersCreations
    case returnsOthersRecords
    case comparesVersions
    case comparesVersionsAlways
    case comparesVersionsWithoutOne
    case namesNoVersionField
    case treatsConflictsAsRefusals
    case sendsNoVersion

    static let ofVersions: Set<UpFault> = [
        .comparesVersions, .comparesVersionsAlways, .comparesVersionsWithoutOne, .namesNoVersionField,
        .treatsConflictsAsRefusals, .sendsNoVersion,
    ]
}

/// A target that puts each reading at its number with one request, and has a fault that its configuration selects.
struct ReadingsUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable { var fault: String? }

    static let name: PluginName = "readings"
    let fault: UpFault

    init(configuration: Configuration) { fault = UpFault(rawValue: configuration.fault ?? "") ?? .none }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        if fault == .requestsForEmptyBatch { _ = try await context.send(.get, "/ping") }
        var outcomes: [PushOutcome] = []
        var isCutOff = false
        for change in changes {
            if isCutOff {
                outcomes.append(.failed(PushFailure(code: "NOT_SENT", message: "not sent", retry: .inLaterRun)))
                continue
            }
            do {
                var answer = try await send(change, context)
                if fault == .resendsCreations, change.kind == .create, answer.status == 413 {
                    answer = try await send(change, context)
                }
                outcomes.append(outcome(answer, change))
            } catch {
                let known = error as? SoupError
                if known?.delivery == .notSent {
                    if outcomes.isEmpty, fault == .none { throw error }
                    outcomes.append(unsent)
                } else if fault == .throwsOnLostResponse {
                    throw error
                } else {
                    outcomes.append(
                        fault == .skipsOnLostResponse ? .skipped : .unknown(.init(code: "LOST", message: "lost")))
                }
                isCutOff = true
            }
        }
        if fault == .throwsOnRefusal, outcomes.contains(where: { $0.result != .ok }) {
            throw SoupError(.server, "refused")
        }
        if fault == .dropsAnOutcome { outcomes = outcomes.dropLast() }
        return fault == .reversesOutcomes ? outcomes.reversed() : outcomes
    }

    private func send(_ change: RecordChange, _ context: SyncContext) async throws -> HTTPAnswer {
        let path = "/r/\(change.entryId)"
        let record = fault == .sendsTemporaryIds ? change.record : record(toSend: change)
        var headers = HTTPFields()
        if isConditional(change, under: context.options.mergeMode), fault != .sendsNoVersion {
            headers[.ifMatch] = change.record["version"]?.stringValue ?? "*"
        }
        switch change.kind {
        case .delete: return try await context.send(.delete, path, headers: headers)
        case .create where fault == .declaresWrongIdempotence:
            return try await context.send(.post, "/r", json: record)
        default: return try await context.send(.put, path, json: record, headers: headers)
        }
    }

    var versionField: String? {
        UpFault.ofVersions.contains(fault) && fault != .namesNoVersionField ? "version" : nil
    }

    func isConditional(_ change: RecordChange, under mode: MergeMode) -> Bool {
        guard UpFault.ofVersions.contains(fault), change.kind != .create else { return false }
        return (mode != .overwrite || fault == .comparesVersionsAlways)
            && (change.record["version"] != nil || fault == .comparesVersionsWithoutOne)
    }

    private var unsent: PushOutcome {
        fault == .unknownWhenUnsent
            ? .unknown(.init(code: "LOST", message: "lost"))
            : .failed(
                .init(code: "NOT_SENT", message: "x", retry: fault == .notRetryableWhenUnsent ? .never : .inLaterRun))
    }

    private func outcome(_ answer: HTTPAnswer, _ change: RecordChange) -> PushOutcome {
        let isGone = fault == .setsIsGoneOnRefusal || fault == .treatsAny404AsGone && answer.status == 404
        if fault == .treatsAnyStatusAsRefusal || isGone && fault == .treatsAny404AsGone, !answer.isSuccess {
            return .failed(PushFailure(code: "HTTP_\(answer.status)", message: "refused", isGone: isGone))
        }
        guard let body = try? JSONValue(parsing: answer.body), answer.isSuccess || body["code"] != nil else {
            return .unknown(PushFailure(code: "LOST", message: "the response is not JSON"))
        }
        guard answer.isSuccess else {
            if body["code"] == "OTHER_VERSION", fault != .treatsConflictsAsRefusals {
                return .conflict(PushFailure(code: "OTHER_VERSION", message: "another version"))
            }
            let isGone =
                isGone || fault == .trustsWrongPaths && body["code"] == "NO_SUCH_PATH"
                || fault != .recognizesNoMissingRecord && body["code"] == "NO_READING"
            return .failed(PushFailure(code: "REFUSED", message: "refused", isGone: isGone))
        }
        let id = fault == .repeatsAnId ? "same" : body["id"]?.stringValue
        if fault != .acceptsAnyId, fault != .returnsNoIds, fault != .repeatsAnId, change.kind == .create,
            !(id.map(ServerId.isPossible) ?? false)
        {
            return .unknown(PushFailure(code: "LOST", message: "the response has no ID"))
        }
        return .ok(
            serverId: fault == .returnsNoIds ? nil : id, modificationDate: fault == .returnsInvalidDates ? "today" : nil
        )
    }

    var maxBatchSize: Int { fault == .hasBatchSizeOne ? 1 : 200 }
    func isIdempotent(_ creation: RecordChange) -> Bool { true }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        if fault == .reportsStatesAtTimes, changes[0].kind == .delete { return nil }
        if fault == .reportsMissingRecordsAsChanged { return changes.map { _ in .modified(DateText.format(0)) } }
        if fault == .returnsNoStates { return changes.map { _ in .unknown } }
        let answer = try await context.send(.get, "/states")
        if answer.status == 404 {
            let isOwn = (try? answer.json())?["code"] != nil
            if fault == .reportsNoStatesOnErrors { return nil }
            return changes.map { _ in
                fault == .treatsAny404AsDeleted || fault == .trustsWrongPaths && isOwn ? .deleted : .unknown
            }
        }
        guard fault != .guessesStates else { return changes.map { _ in .deleted } }
        guard answer.isSuccess, (try? answer.json())?["id"] != nil else { return changes.map { _ in .unknown } }
        return changes.map { _ in .deleted }
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        if fault == .supportsNoLookup, !changes.isEmpty { return nil }
        var ids: [String?] = []
        for change in changes {
            do {
                let answer = try await context.send(.get, "/r/\(change.entryId)")
                let json = try answer.json()
                guard answer.isSuccess || json["code"] == "NO_READING" else { throw answer.failure(of: "GET", "/r") }
                let id = json["id"]?.stringValue ?? (fault == .findsOthersCreations ? "r9" : nil)
                ids.append(fault == .findsNoCreation ? nil : id)
            } catch let error as SoupError where fault == .treatsLookupErrorAsMissing {
                _ = error
                ids.append(nil)
            }
        }
        return ids
    }
}

extension ReadingsUpTarget {
    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        guard fault != .supportsNoFetch else { return nil }
        var records: [JSONText?] = []
        for change in changes {
            let answer = try? await context.send(.get, "/r/\(change.entryId)")
            guard let answer, answer.isSuccess, (try? answer.json()) != nil else {
                let isMissing = answer.flatMap { try? $0.json() }?["code"] == "NO_READING"
                guard fault != .treatsFetchErrorAsMissing, !isMissing || fault == .returnsOthersRecords else {
                    records.append(nil)
                    continue
                }
                guard isMissing else { throw SoupError(.server, "no record") }
                records.append(try JSONText(#"{"number":9}"#))
                continue
            }
            let number = fault == .returnsOtherValues ? "\"no. \(change.entryId)\"" : "\(change.entryId)"
            let field = fault == .returnsOtherFields ? "no" : "number"
            let date = fault == .returnsNoDate ? "" : #","LastModifiedDate":"\#(DateText.format(0))""#
            records.append(fault == .findsNoRecord ? nil : try JSONText(#"{"\#(field)":\#(number)\#(date)}"#))
        }
        let isShort = fault == .dropsARecord || fault == .dropsARecordOfUpdates && changes[0].kind == .update
        return isShort ? records.dropLast() : records
    }
}

/// A server that stores readings by their numbers; each POST adds a reading.
final class ReadingsServer: Sendable {
    private let ids = Mutex<Set<String>>([])

    var count: Int { ids.withLock { $0.count } }

    func answer(_ request: RecordedRequest, _ refused: [RecordChange]) -> HTTPAnswer {
        let last = request.pathWithoutQuery.split(separator: "/").last.map(String.init) ?? ""
        let number = request.json?["number"]?.intValue.map(String.init) ?? last
        if refused.contains(where: { "\($0.entryId)" == number }) {
            return HTTPAnswer(status: 400, #"{"code":"TOO_COLD"}"#)
        }
        return ids.withLock { ids in
            let id = request.method == .post ? "p\(ids.count)" : "r\(number)"
            switch request.method {
            case .get where last != "states" && !ids.contains(id):
                return HTTPAnswer(status: 404, #"{"code":"NO_READING"}"#)
            case .delete: ids.remove(id)
            case .put, .post: ids.insert(id)
            default: break
            }
            return HTTPAnswer(status: 200, #"{"id":"\#(id)"}"#)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The response to a change: that of its own request, or a result in the response to a batch.
struct PushAnswer: Sendable {
    var answer: HTTPAnswer
    /// The path of the record in the body.
    var record: JSONPath
    /// Whether it is an element of a list of results, and not a response of its own.
    var isResult = false
    /// Whether it is an element of a list of results with a status of its own.
    var hasOwnStatus = false

    /// The status and the beginning of the body, for messages.
    var excerpt: String {
        "HTTP \(answer.status): \(String(decoding: answer.body.prefix(1000), as: UTF8.self).excerpt(200))"
    }
}

/// The meaning of a response to a change.
enum PushVerdict: Sendable {
    case outcome(PushOutcome)
    /// The record does not exist; unless `isConfirmed`, the path may also be wrong.
    case missing(isConfirmed: Bool)

    static func unknown(_ reason: String) -> PushVerdict {
        .outcome(.unknown(PushFailure(code: "UNKNOWN_ANSWER", message: reason)))
    }
}

extension PushForm {
    /// Returns the meaning of a response.
    ///
    /// Only the service's own responses count. Every other response, such as a page of HTML or a redirect, leaves the
    /// outcome unknown, because the service may have carried out the request before.
    func verdict(on answer: PushAnswer, to change: RecordChange, _ request: PushRequest) -> PushVerdict {
        let status = answer.answer.status
        if answer.answer.isSuccess { return success(answer, of: change, request) }
        if service.gone.statuses.contains(status) {
            switch service.gone.match(answer.answer) {
            case .none: return .unknown("the response is not one of the service: \(answer.excerpt)")
            case .confirmed where change.kind != .create: return .missing(isConfirmed: true)
            case .unconfirmed where change.kind != .create: return .missing(isConfirmed: false)
            case .confirmed: break
            // A wrong path and a missing parent are no outcome of the creation.
            case .unconfirmed:
                guard hasErrorForm else {
                    return .unknown("the path of creations may be wrong: \(answer.excerpt)")
                }
            }
        }
        // Only the service itself compares the version, so a response without a body is its own.
        if status == 412, request.isConditional, statuses.conflict.contains(412), answer.answer.body.isEmpty {
            return .outcome(.conflict(PushFailure(code: "HTTP_412", message: "the record has another version")))
        }
        guard var failure = service.errorForm.failure(in: answer.answer, sent: request.sent) else {
            return .unknown("the response is not one of the service: \(answer.excerpt)")
        }
        if statuses.retry.contains(status) {
            if change.kind == .create, mayFollowCreation(status) {
                return .unknown("the service did not report whether it created the record: \(answer.excerpt)")
            }
            failure.retry = .inLaterRun
            return .outcome(.failed(failure))
        }
        if statuses.isConflict(status, of: request) {
            return .outcome(change.kind == .create ? .failed(failure) : .conflict(failure))
        }
        guard statuses.isRejection(status) else {
            return .unknown("the service did not report whether it made the change: \(answer.excerpt)")
        }
        // Missing permissions can be granted without a change of the record.
        if status == 401 || status == 403 { failure.retry = .inLaterRun }
        return .outcome(.failed(failure))
    }

    /// Whether a response with a status of `retry` can be that of a gateway, after the service has created the record.
    ///
    /// The look-up of the next run shows whether it has. Without one, only a response in the service's own form, the
    /// status 429, and a creation that can be sent again leave no doubt.
    func mayFollowCreation(_ status: Int) -> Bool {
        if clientKey?.query != nil { return true }
        return !hasErrorForm && status != 429 && clientKey?.isIdempotent != true
    }

    private var hasErrorForm: Bool { service.errorForm.code != nil || service.errorForm.message != nil }

    private func success(_ answer: PushAnswer, of change: RecordChange, _ request: PushRequest) -> PushVerdict {
        let record = (try? answer.answer.json())?.part(at: answer.record)
        let isObject = record?.bytes.first == UInt8(ascii: "{")
        let id = record.flatMap { isObject ? service.recordId(in: $0) : nil }
        let version = version(in: isObject ? record : nil, answer.answer)
        let date = record.flatMap { isObject ? modificationDate(in: $0) : nil }
        switch change.kind {
        case .create:
            let isBodyUsable = answer.answer.body.isEmpty || isObject
            guard isBodyUsable, let id = id ?? locationId(answer.answer, of: request) else {
                return .unknown("the response to a creation contains no ID: \(answer.excerpt)")
            }
            return .outcome(.ok(serverId: id, modificationDate: date, version: version))
        case .update, .none:
            if answer.answer.status == 204 { return .outcome(.ok(version: version)) }
            guard let id, id == change.serverId else {
                return .unknown("the response to an update does not contain the record: \(answer.excerpt)")
            }
            return .outcome(.ok(serverId: id, modificationDate: date, version: version))
        case .delete:
            guard answer.answer.status == 204 || answer.answer.containsJSON, (id ?? change.serverId) == change.serverId
            else { return .unknown("the response to a deletion is not one of the service: \(answer.excerpt)") }
            // A gateway also sends JSON; only the ID shows that the response is about the record.
            return id != nil && !answer.isResult || answer.answer.status == 204 || answer.hasOwnStatus
                ? .outcome(.ok()) : .missing(isConfirmed: false)
        }
    }

    /// The modification date of a record in the form of outcomes.
    func modificationDate(in record: JSONText) -> String? {
        guard let value = service.modified.flatMap({ record.part(at: $0.path) }),
            let date = service.dateFormat.date(in: value)
        else { return nil }
        return service.dateFormat == .iso8601 ? value.string : DateText.format(date)
    }

    /// The version in a record, or in the `ETag` header.
    private func version(in record: JSONText?, _ answer: HTTPAnswer) -> JSONText? {
        guard let location = service.version else { return nil }
        if let own = record?.part(at: location.path), own.value.idText != nil { return own }
        return answer.response.headerFields[.eTag].map { .string($0) }
    }

    /// The ID in the `Location` header, if it is the path of a record.
    ///
    /// The path may have another slash at its end than the configured one.
    private func locationId(_ answer: HTTPAnswer, of request: PushRequest) -> String? {
        guard let location = answer.response.headerFields[.location],
            let link = try? PageLink(
                reference: location, relativeTo: String(request.path.prefix { $0 != "?" }), origin: service.origin)
        else { return nil }
        var path = link.path.prefix { $0 != "?" }
        if service.item.matchingId(in: String(path)) == nil, path.last == "/" { path.removeLast() }
        guard let text = service.item.matchingId(in: String(path)), ServerId.isPossible(text) else { return nil }
        return text
    }
}

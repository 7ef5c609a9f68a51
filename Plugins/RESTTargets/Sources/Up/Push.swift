// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The execution of a push: sends the requests, and records the outcomes.
struct Push {
    let form: PushForm
    let client: ServiceClient
    let changes: [RecordChange]
    private var log: PushLog
    /// The service's list, once it was needed to confirm a path.
    private var listed: ListedRecords?

    init(_ form: PushForm, _ changes: [RecordChange], in context: SyncContext) {
        self.form = form
        self.changes = changes
        client = ServiceClient(service: form.service, context: context)
        log = PushLog(count: changes.count)
    }

    /// Sends all changes, and returns their outcomes.
    ///
    /// - Throws: ``SoupError`` if nothing has reached the server.
    mutating func outcomes() async throws -> [PushOutcome] {
        var requests: [(position: Int, request: PushRequest)] = []
        for (position, change) in changes.enumerated() {
            guard change.kind != .none, form.route(for: change.kind).isEnabled else {
                log.set(.skipped, at: position)
                continue
            }
            guard change.kind == .create || change.serverId.map(ServerId.isPossible) == true else {
                log.set(.failed(Self.withoutId), at: position)
                continue
            }
            do throws(PushFailure) {
                if let request = try form.request(for: change, with: client) {
                    requests.append((position, request))
                } else {
                    // An update without changed fields needs no request.
                    log.set(.ok(), at: position)
                }
            } catch {
                log.set(.failed(error), at: position)
            }
        }
        guard let kind = changes.first?.kind else { return [] }
        if let batch = form.route(for: kind).batch {
            for start in stride(from: 0, to: requests.count, by: batch.size) {
                try await send(Array(requests[start..<min(start + batch.size, requests.count)]), in: batch)
            }
        } else {
            for (position, request) in requests { try await send(request, at: position) }
        }
        return log.finished()
    }

    private mutating func send(_ request: PushRequest, at position: Int) async throws {
        let client = client
        let answer = try await log.exchange(for: [position]) {
            try await client.send(request.method, request.path, body: request.body, headers: request.headers)
        }
        guard let answer else { return }
        await note(PushAnswer(answer: answer, record: form.service.record), at: position, request)
    }

    /// Records the outcome that a response reports.
    private mutating func note(_ answer: PushAnswer, at position: Int, _ request: PushRequest) async {
        let change = changes[position]
        switch form.verdict(on: answer, to: change, request) {
        case .outcome(let outcome): log.set(await completed(outcome, of: change, request), at: position)
        case .missing(let isConfirmed):
            let failure = PushFailure(
                code: "HTTP_\(answer.answer.status)", message: "the record is not on the server", isGone: true)
            do {
                if !isConfirmed { try await confirmMissing(change.serverId ?? "") }
                log.set(change.kind == .delete ? .ok() : .failed(failure), at: position)
            } catch {
                log.set(
                    .unknown(
                        PushFailure(
                            code: "UNCONFIRMED", message: "it is not certain that the record is missing: \(error)")),
                    at: position)
            }
        }
    }

    /// Returns the outcome of an update or a creation with the date and the version of the record.
    ///
    /// If the response lacks one that later pushes compare, the record is requested. Its values are used if it has the
    /// fields that were sent, so that they are not those of another user's change.
    private func completed(_ outcome: PushOutcome, of change: RecordChange, _ request: PushRequest) async -> PushOutcome
    {
        let needsDate = form.service.modified != nil && outcome.modificationDate == nil
        let needsVersion = form.comparesVersions && outcome.version == nil
        guard case .ok = outcome.result, change.kind != .delete, client.context.options.mergeMode != .overwrite,
            needsDate || needsVersion, let id = outcome.serverId ?? change.serverId,
            case .found(let record)? = try? await client.item(id)
        else { return outcome }
        let sent = (change.record.members ?? []).filter { request.sent.contains($0.key) }
        let found = Dictionary((record.members ?? []).map { ($0.key, $0.value.value) }, uniquingKeysWith: { $1 })
        guard sent.allSatisfy({ found[$0.key] == $0.value.value }) else { return outcome }
        var outcome = outcome
        outcome.modificationDate = outcome.modificationDate ?? form.modificationDate(in: record)
        if needsVersion { outcome.version = form.service.version.flatMap { record.part(at: $0.path) } }
        return outcome
    }

    /// Checks that a record is missing, and not only its path wrong.
    ///
    /// - Throws: an error if the record exists, or the path could not be checked.
    private mutating func confirmMissing(_ id: String) async throws {
        guard case .missing(let isConfirmed) = try await client.item(id) else {
            throw SoupError(.server, "the record exists, although the server reported it as missing")
        }
        guard !isConfirmed else { return }
        try await client.confirmPath(without: id, &listed)
    }

    private static var withoutId: PushFailure {
        PushFailure(code: "NO_ID", message: "the record has no ID of the server")
    }
}

extension Push {
    /// Sends several changes in one request.
    private mutating func send(_ part: [(position: Int, request: PushRequest)], in batch: BatchForm) async throws {
        let positions = part.map(\.position)
        guard let first = part.first else { return }
        let body = batch.body(of: part.map { ($0.request, changes[$0.position]) }, form)
        let client = client
        let answer = try await log.exchange(for: positions) {
            try await client.send(first.request.method, first.request.path, body: body)
        }
        guard let answer else { return }
        guard answer.isSuccess else {
            let failure = failure(of: answer, kind: changes[part[0].position].kind, count: part.count)
            for position in positions { log.set(failure, at: position) }
            return
        }
        let results = batch.results(in: answer, for: part.map { changes[$0.position] }, form)
        for ((position, request), result) in zip(part, results) {
            if let result {
                await note(result, at: position, request)
            } else {
                let reason = "the response to the batch contains no result for the change"
                log.set(.unknown(PushFailure(code: "UNKNOWN_ANSWER", message: reason)), at: position)
            }
        }
    }

    /// The outcome of each change of a batch that was refused as a whole.
    private func failure(of answer: HTTPAnswer, kind: RecordChange.Kind, count: Int) -> PushOutcome {
        let isGone = form.service.gone.statuses.contains(answer.status)
        let mayFollowCreation =
            kind == .create && form.statuses.retry.contains(answer.status) && form.mayFollowCreation(answer.status)
        guard !isGone, !mayFollowCreation, var failure = form.service.errorForm.failure(in: answer),
            form.statuses.isRejection(answer.status) || form.statuses.retry.contains(answer.status)
        else {
            return .unknown(PushFailure(code: "UNKNOWN_ANSWER", message: "HTTP \(answer.status) for a batch"))
        }
        let isRetryable = form.statuses.retry.contains(answer.status) || answer.status == 401 || answer.status == 403
        failure.retry = isRetryable ? .inLaterRun : count > 1 ? .inSmallerBatch : .never
        return .failed(failure)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore

/// A custom target with only the required method: one request per change, and three changes per push.
struct PlainUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        var sobjectType: String
        var createFieldlist: [String]
        var updateFieldlist: [String]
    }

    static let name: PluginName = "plain"
    let maxBatchSize = 3
    let configuration: Configuration

    init(configuration: Configuration) { self.configuration = configuration }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var outcomes: [PushOutcome] = []
        var end: SoupError?
        for change in changes {
            if let end {
                outcomes.append(.notSent(end))
                continue
            }
            do {
                outcomes.append(try await push(change, context))
            } catch let error as SoupError where error.delivery == .notSent {
                if outcomes.isEmpty { throw error }
                end = error
                outcomes.append(.notSent(error))
            } catch {
                outcomes.append(.unknown(PushFailure(code: "LOST_ANSWER", message: "\(error)")))
            }
        }
        return outcomes
    }

    private func push(_ change: RecordChange, _ context: SyncContext) async throws -> PushOutcome {
        let path = "\(context.basePath)/sobjects/\(configuration.sobjectType)"
        switch (change.kind, change.serverId.map(URLText.segment)) {
        case (.create, _):
            let answer = try await context.send(.post, path, json: body(of: change, configuration.createFieldlist))
            guard answer.isSuccess else { return failure(of: answer) }
            guard answer.status == 201, let id = try answer.json()["id"]?.stringValue, ServerId.isPossible(id) else {
                return unreadable(answer)
            }
            return .ok(serverId: id)
        case (.update, let id?):
            let body = try body(of: change, configuration.updateFieldlist)
            return outcome(try await context.send(.patch, "\(path)/\(id)", json: body))
        case (.delete, let id?):
            return outcome(try await context.send(.delete, "\(path)/\(id)"))
        default:
            return .skipped
        }
    }

    /// Returns the fields to send; with `MERGE` only those that were changed locally.
    private func body(of change: RecordChange, _ names: [String]) throws -> JSONText {
        let members = names.compactMap { name -> (key: String, value: JSONValue)? in
            let value = change.record[JSONPath(name)] ?? .null
            if let base = change.base, base[JSONPath(name)] ?? .null == value { return nil }
            return (key: name, value: value)
        }
        return try JSONText(.object(JSONObject(members)))
    }

    private func outcome(_ answer: HTTPAnswer) -> PushOutcome {
        guard answer.isSuccess else { return failure(of: answer) }
        return answer.status == 204 ? .ok() : unreadable(answer)
    }

    /// Only an array of errors is the server's own refusal, and only these codes concern the record.
    private func failure(of answer: HTTPAnswer) -> PushOutcome {
        guard answer.status >= 400, let error = (try? answer.json())?.value.arrayValue?.first,
            let code = error["errorCode"]?.stringValue
        else { return unreadable(answer) }
        return .failed(
            PushFailure(
                code: code, message: error["message"]?.stringValue ?? code,
                isGone: ["ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY"].contains(code),
                retry: answer.status >= 500 ? .inLaterRun : .never))
    }

    private func unreadable(_ answer: HTTPAnswer) -> PushOutcome {
        .unknown(PushFailure(code: "UNREADABLE", message: "HTTP \(answer.status)"))
    }
}

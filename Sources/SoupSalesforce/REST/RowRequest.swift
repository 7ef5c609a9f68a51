// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import SoupCore

/// The request for one record on its own, sent by itself or inside a composite request.
package struct RowRequest: Sendable, Hashable {
    /// POST for creations, PATCH for updates and upserts, DELETE for deletions.
    package var method: HTTPRequest.Method
    /// The path from the root of the server, percent-encoded.
    package var path: String
    /// An object with the fields to send; nil for deletions.
    package var body: JSONText?
    /// The precondition `If-Unmodified-Since` of updates, in whole seconds; none for other requests.
    package var headers: HTTPFields = [:]

    /// - Parameters:
    ///   - apiPath: the base path of the REST API.
    ///   - extra: members to add to the body; they replace members of the same name.
    package init(_ action: RecordForm.Action, apiPath: String, extra: [(name: String, value: JSONText)] = []) {
        let object = "\(apiPath)/sobjects/\(URLText.segment(action.type))"
        let names = Set(extra.map { $0.name.lowercased() })
        let members = action.members.filter { !names.contains($0.name.lowercased()) } + extra
        switch action.verb {
        case .create:
            self.init(.post, path: object, body: .object(members))
        case .upsert(let field, let value):
            let text = value.string ?? value.description
            let path = "\(object)/\(URLText.segment(field))/\(URLText.segment(text))"
            self.init(.patch, path: path, body: .object(members))
        case .update(let id):
            self.init(.patch, path: "\(object)/\(URLText.segment(id))", body: .object(members))
            headers[.ifUnmodifiedSince] = action.unmodifiedSince.map { DateText.formatHTTPDate($0) }
        case .delete(let id):
            self.init(.delete, path: "\(object)/\(URLText.segment(id))", body: nil)
        }
    }

    init(_ method: HTTPRequest.Method, path: String, body: JSONText?) {
        self.method = method
        self.path = path
        self.body = body
    }
}

extension PushOutcome {
    /// Converts a response about one record to the outcome of its change.
    ///
    /// Only the API's own response in its documented form counts. In every other case the outcome is unknown: for a
    /// response that is not the API's, a success about another record, and a creation without a valid ID in the
    /// response.
    ///
    /// If the response has no ID, the outcome has the form of 18 characters of the requested one, which the server
    /// returns everywhere.
    ///
    /// - Parameters:
    ///   - action: the requested action.
    ///   - status: the HTTP status of the record's own response.
    ///   - date: the time of the response, for the modification date.
    package init(
        of change: RecordChange, action: RecordForm.Action?, status: Int, answer: APIAnswer, date: String?
    ) {
        switch answer {
        case .refusal(let error) where status == 412 && action?.unmodifiedSince != nil:
            self.init(.conflict(PushFailure(error, kind: change.kind, status: status)))
        case .foreign(let reason): self.init(.unknown(.lost(reason)))
        case .refusal(let error): self.init(.failed(PushFailure(error, kind: change.kind, status: status)))
        case .success(let body):
            let (returned, known) = (body["id"]?.stringValue, action?.knownId)
            if let returned, let known, !SalesforceID.same(returned, known) {
                // The response belongs to another request and says nothing about this one.
                self.init(.unknown(.lost("the response is about another record, \(returned)")))
            } else if !body.isNull, returned == nil || body["success"]?.boolValue == false {
                self.init(.unknown(.lost("HTTP \(status) with JSON that does not confirm the change")))
            } else if change.kind == .create, !SalesforceID.isPossible(returned ?? known ?? "") {
                self.init(.unknown(.lostId(returned: returned)))
            } else {
                self.init(
                    .ok, serverId: returned ?? known.map { SalesforceID.longForm(of: $0) ?? $0 },
                    modificationDate: change.kind == .delete ? nil : date)
            }
        }
    }
}

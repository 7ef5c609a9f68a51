// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// The request for one record on its own, sent by itself or inside a composite request.
public struct RowRequest: Sendable, Hashable {
    /// POST for creations, PATCH for updates and upserts, DELETE for deletions.
    public var method: HTTPRequest.Method
    /// The path from the root of the server, percent-encoded.
    public var path: String
    /// An object with the fields to send; nil for deletions.
    public var body: JSONText?

    /// - Parameters:
    ///   - apiPath: where the REST API starts.
    ///   - extra: members to add to the body, in place of those of the same name.
    public init(_ action: RecordForm.Action, apiPath: String, extra: [(name: String, value: JSONText)] = []) {
        let object = "\(apiPath)/sobjects/\(URLText.segment(action.type))"
        let names = Set(extra.map { $0.name.lowercased() })
        let members = action.members.filter { !names.contains($0.name.lowercased()) } + extra
        switch action.verb {
        case .create:
            self.init(.post, object, .object(members))
        case .upsert(let field, let value):
            let text = value.string ?? value.description
            self.init(.patch, "\(object)/\(URLText.segment(field))/\(URLText.segment(text))", .object(members))
        case .update(let id):
            self.init(.patch, "\(object)/\(URLText.segment(id))", .object(members))
        case .delete(let id):
            self.init(.delete, "\(object)/\(URLText.segment(id))", nil)
        }
    }

    init(_ method: HTTPRequest.Method, _ path: String, _ body: JSONText?) {
        self.method = method
        self.path = path
        self.body = body
    }
}

extension PushOutcome {
    /// The outcome that the server's word about one record means.
    ///
    /// - Parameters:
    ///   - action: what was asked for.
    ///   - status: the HTTP status of that word.
    ///   - body: its body.
    ///   - date: the time of the answer, for the modification date.
    public init(
        of change: RecordChange, _ action: RecordForm.Action?, status: Int, body: JSONValue, date: String?
    ) {
        if (200..<300).contains(status) {
            let (told, known) = (body["id"]?.stringValue, action?.knownId)
            let id = told ?? known
            if let told, let known, !SalesforceID.same(told, known) {
                // An answer to another request, which says nothing of this one.
                self.init(.unknown(.lost("the answer is about another record, \(told)")))
            } else if change.kind == .create, id == nil {
                self.init(.unknown(.lost("the server did not tell the id of the record that it created")))
            } else {
                self.init(.ok, serverId: id, modificationDate: change.kind == .delete ? nil : date)
            }
            return
        }
        let error: SalesforceErrorBody
        if status == 300 {
            error = SalesforceErrorBody(code: "HTTP_300", message: "more than one record has that external id")
        } else {
            error =
                SalesforceErrorBody.all(in: body).first
                ?? SalesforceErrorBody(code: "HTTP_\(status)", message: "the server answered with HTTP \(status)")
        }
        self.init(.failed(PushFailure(error, kind: change.kind, status: status)))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The request for one change.
struct PushRequest: Sendable {
    var method: HTTPRequest.Method
    var path: String
    var headers: HTTPFields = [:]
    var body: JSONText?
    /// The names of the fields in the body.
    var sent: [String] = []
    /// Whether the service is asked to compare the version.
    var isConditional = false
}

extension PushForm {
    /// Returns the request for a change; nil for an update without changed fields, which needs none.
    ///
    /// - Throws: `PushFailure` if the change cannot be sent.
    func request(for change: RecordChange, with client: ServiceClient) throws(PushFailure) -> PushRequest? {
        let route = route(for: change.kind)
        let options = client.context.options
        var request = PushRequest(method: route.method, path: try path(of: route, for: change, with: client))
        switch change.kind {
        case .create:
            let members = try creation(change, options)
            request.sent = members.map(\.name)
            request.body = wrapped(withConstants(.object(members)))
            if let header = clientKey?.header, let key = clientKey?.value(of: change, idField: service.id.field) {
                request.headers[header] = key
            }
        case .update:
            guard let update = try update(change, as: route.style, options) else { return nil }
            request.sent = update.names
            request.body = route.style == .jsonPatch ? update.body : wrapped(withConstants(update.body))
            switch route.style {
            case .mergePatch: request.headers[.contentType] = "application/merge-patch+json"
            case .jsonPatch: request.headers[.contentType] = "application/json-patch+json"
            case .patch, .put: break
            }
        case .delete, .none: break
        }
        if change.kind != .create, let version = ifMatch(change, under: options.mergeMode) {
            request.headers[.ifMatch] = version
            request.isConditional = true
        }
        return request
    }

    /// Returns the members of a creation, with the client key.
    func creation(_ change: RecordChange, _ options: SyncOptions) throws(PushFailure) -> [FieldSelection.Member] {
        var members = try fields.members(of: change, options)
        guard let field = clientKey?.field, let key = clientKey?.value(of: change, idField: service.id.field) else {
            return members
        }
        if !members.contains(where: { $0.name == field }) { members.append((field, .string(key))) }
        return members
    }

    /// Returns the body of an update in a style; nil if no field changed.
    private func update(
        _ change: RecordChange, as style: UpdateStyle, _ options: SyncOptions
    ) throws(PushFailure) -> (body: JSONText, names: [String])? {
        if style == .put {
            let members = try fields.members(of: change, options)
            return (.object(members), members.map(\.name))
        }
        let (set, removed) = try fields.changes(of: change, options)
        guard !set.isEmpty || !removed.isEmpty else { return nil }
        let names = set.map(\.name) + removed
        guard style == .jsonPatch else {
            return (.object(set + removed.map { (name: $0, value: JSONText.null) }), names)
        }
        // "add" replaces an existing member, so that a missing one is no error.
        let operations =
            set.filter { $0.name != fields.sentId }.map { Self.operation("add", on: $0.name, value: $0.value) }
            + removed.map { Self.operation("remove", on: $0) }
        return (.array(operations), names)
    }

    private static func operation(_ name: String, on field: String, value: JSONText? = nil) -> JSONText {
        let pointer = "/" + field.replacing("~", with: "~0").replacing("/", with: "~1")
        let members: [(name: String, value: JSONText)] = [("op", .string(name)), ("path", .string(pointer))]
        return .object(members + (value.map { [("value", $0)] } ?? []))
    }

    /// Returns a body with the constants, which replace fields of the same name.
    private func withConstants(_ body: JSONText) -> JSONText {
        constants.isEmpty ? body : RecordMerge.overlay(.object(constants), over: body)
    }

    private func wrapped(_ body: JSONText) -> JSONText {
        wrap.map { .object([($0, body)]) } ?? body
    }

    private func path(
        of route: Route, for change: RecordChange, with client: ServiceClient
    ) throws(PushFailure) -> String {
        var missing: String?
        let path = client.path(route.path) { variable in
            switch variable {
            case .id: return change.serverId
            case .field(let name):
                let value = change.record[JSONPath(name)]?.idText
                if value.map({ $0.isEmpty || LocalId.isLocal($0) }) ?? true { missing = name }
                return value ?? ""
            default: return nil
            }
        }
        guard let missing else { return path }
        throw PushFailure(
            code: "MISSING_FIELD", message: "the path of the request needs a value of the server in \"\(missing)\"",
            fields: [missing], retry: .inLaterRun)
    }
}

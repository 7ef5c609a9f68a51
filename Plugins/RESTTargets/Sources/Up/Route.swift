// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The checked request for one kind of change.
struct Route: Sendable {
    let kind: RecordChange.Kind
    let isEnabled: Bool
    let method: HTTPRequest.Method
    let path: Template
    /// The form of an update.
    let style: UpdateStyle
    let batch: BatchForm?

    /// - Throws: ``SoupError`` with the place of a fault, or a `ConfigurationError` with several of them.
    init(_ kind: RecordChange.Kind, _ configuration: RouteConfiguration?, of service: Service) throws {
        var faults = ConfigurationFaults()
        self.kind = kind
        isEnabled = configuration?.isEnabled ?? true
        style = configuration?.style ?? .patch
        if kind != .update, configuration?.style != nil {
            faults.add(
                Self.fault(kind, at: "style", message: "\"style\" is only used with \"update\"", hint: "Remove it."))
        }
        let usual: HTTPRequest.Method =
            kind == .create ? .post : kind == .delete ? .delete : style == .put ? .put : .patch
        method = configuration?.method.flatMap { HTTPRequest.Method(rawValue: $0) } ?? usual
        if let name = configuration?.method,
            ![.post, .put, .patch, .delete].contains(method) || method.rawValue != name
        {
            faults.add(
                Self.fault(
                    kind, at: "method", message: "\"\(name.excerpt(50))\" is not a method of a change",
                    hint: "Use POST, PUT, PATCH or DELETE."))
        }
        let batch = faults.check { try configuration?.batch.map { try BatchForm($0, kind, of: service) } }
        self.batch = batch ?? nil
        let path = faults.check {
            try Self.path(configuration, kind, of: service)
        }
        self.path = try faults.finish(returning: path)
    }

    private static func path(
        _ configuration: RouteConfiguration?, _ kind: RecordChange.Kind, of service: Service
    ) throws -> Template {
        let isSingle = configuration?.batch == nil
        guard let text = configuration?.path else {
            if kind != .create, isSingle { return service.item }
            return Template(literal: service.listPath)
        }
        let known: [TemplateVariable] = kind == .create || !isSingle ? [] : [.id]
        let template = try ServiceAddress.template(
            text, known: known, allowsFields: isSingle, at: "\(kind.rawValue).path", origin: service.origin)
        if kind != .create, isSingle, !template.variables.contains(.id) {
            throw fault(
                kind, at: "path", message: "the path does not contain {id}",
                hint: "Write a path such as \"/api/contacts/{id}\".")
        }
        return template
    }

    private static func fault(_ kind: RecordChange.Kind, at key: String, message: String, hint: String) -> SoupError {
        SoupError(.badConfiguration, message, place: SoupError.Place(path: "\(kind.rawValue).\(key)"), hint: hint)
    }
}

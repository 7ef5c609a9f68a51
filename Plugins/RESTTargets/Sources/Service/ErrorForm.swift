// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The places of the code, the message and the fields in the service's own errors.
struct ErrorForm: Sendable {
    let code: JSONPath?
    let message: JSONPath?
    let fields: JSONPath?

    init(_ configuration: ErrorConfiguration?) {
        code = configuration?.code.map { JSONPath(configured: $0) }
        message = configuration?.message.map { JSONPath(configured: $0) }
        fields = configuration?.fields.map { JSONPath(configured: $0) }
    }

    /// Members that contain the message in common forms of errors.
    private static let commonMessages: [JSONPath] = [
        "detail", "message", "error.message", "error", "title", "error_description", "description", "msg",
    ]

    /// Returns the failure that a response describes.
    ///
    /// - Parameter sent: the fields of the record; members of the body with these names are the cause.
    /// - Returns: nil if the body is not an error of the service: not JSON, or without the configured members.
    func failure(in answer: HTTPAnswer, sent: [String] = []) -> PushFailure? {
        guard answer.containsJSON, let body = try? answer.json() else { return nil }
        let (foundCode, foundMessage) = (
            code.flatMap { text(at: $0, in: body) }, message.flatMap { text(at: $0, in: body) }
        )
        if code != nil || message != nil, foundCode == nil, foundMessage == nil { return nil }
        let named = fields.map { names(at: $0, in: body) } ?? own(sent, in: body)
        let common = Self.commonMessages.lazy.compactMap { text(at: $0, in: body) }.first
        let ofField = named.first.flatMap { name in body.value[name].flatMap(Self.text).map { "\(name): \($0)" } }
        let status = "HTTP \(answer.status)"
        return PushFailure(
            code: foundCode ?? "HTTP_\(answer.status)",
            message: foundMessage ?? common ?? ofField
                ?? "\(status): \(String(decoding: answer.body.prefix(500), as: UTF8.self).excerpt(200))",
            fields: named)
    }

    /// Whether a result contains the code or the message of an error, at a configured path.
    func isPresent(in result: JSONText) -> Bool {
        [code, message].contains { $0.flatMap { text(at: $0, in: result) } != nil }
    }

    private func own(_ sent: [String], in body: JSONText) -> [String] {
        let keys = Set((body.members ?? []).map(\.key))
        return sent.filter(keys.contains)
    }

    private func names(at path: JSONPath, in body: JSONText) -> [String] {
        body[path].map { Self.names(in: $0) } ?? []
    }

    /// Returns the names in an object whose members are fields, or in a list of names, of lists or of objects.
    private static func names(in value: JSONValue) -> [String] {
        switch value {
        case .object(let object): object.keys
        case .array(let items):
            items.flatMap { item in
                item.objectValue == nil
                    ? names(in: item) : [item["field"]?.stringValue ?? item["name"]?.stringValue].compactMap { $0 }
            }
        case .string(let text): [text]
        default: []
        }
    }

    private func text(at path: JSONPath, in body: JSONText) -> String? {
        body[path].flatMap(Self.text).flatMap { $0.isEmpty ? nil : $0.excerpt(500) }
    }

    /// Returns a value as a message: a text, a number, or the texts of a list.
    private static func text(_ value: JSONValue) -> String? {
        if case .array(let items) = value {
            let texts = items.compactMap { $0.stringValue ?? $0["msg"]?.stringValue ?? $0["message"]?.stringValue }
            return texts.isEmpty ? nil : texts.joined(separator: " ")
        }
        return value.stringValue ?? value.idText
    }
}

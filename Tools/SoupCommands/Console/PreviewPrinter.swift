// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// A printer of previews.
struct PreviewPrinter {
    let console: Console
    let configuration: ConfigurationFolder

    /// Prints a preview.
    ///
    /// - Returns: whether the run would complete: without an error, and without a change that stays.
    func print(_ preview: SyncPreview) -> Bool {
        let name = preview.definition.name ?? ""
        console.event(json(preview))
        switch preview.definition.type {
        case .syncDown:
            let count = preview.count.map { ", \($0) \($0 == 1 ? "record" : "records") on the server" } ?? ""
            console.print("\(name): sync down into \(preview.definition.soup)\(count)")
            for request in preview.requests { print(request, of: preview, indent: "  ") }
        case .syncUp:
            let isUnknown = preview.error != nil && preview.records.isEmpty
            let changes = isUnknown ? "the local changes were not examined" : summary(preview.records)
            console.print("\(name): sync up from \(preview.definition.soup), \(changes)")
            for record in preview.records { print(record, of: preview) }
            if preview.records.contains(where: { $0.effect == .conflict }) {
                console.print("  The run records the conflicts; after it, `soup conflicts` lists them.")
            }
        }
        if let error = preview.error { console.print("  the run would fail: \(error)") }
        return preview.error == nil && !preview.records.contains(where: \.effect.isStuck)
    }

    private func print(_ record: SyncPreview.Record, of preview: SyncPreview) {
        let id = record.id.map { " (\($0))" } ?? ""
        let reason = record.reason.map { ": \($0.code), \($0.message)" } ?? ""
        console.print(
            "  \(record.action.rawValue) \(record.soup) \(record.entryId)\(id): \(record.effect.text)\(reason)")
        for request in record.requests { print(request, of: preview, indent: "    ") }
    }

    private func print(_ request: SyncPreview.Request, of preview: SyncPreview, indent: String) {
        console.print("\(indent)\(request.method) \(url(of: request, preview))")
        for header in request.headers { console.print("\(indent)\(header.name): \(header.value)") }
        if let body = request.body, !body.isEmpty { console.print("\(indent)\(body)") }
    }

    private func summary(_ records: [SyncPreview.Record]) -> String {
        let counts = [SyncPreview.Effect.send, .resolve, .remove, .lookUp, .conflict, .hold, .fail].compactMap {
            effect in
            let count = records.count { $0.effect == effect }
            return count == 0 ? nil : "\(count) \(effect.text)"
        }
        return counts.isEmpty ? "no local changes" : counts.joined(separator: ", ")
    }

    /// Returns the whole URL of a request.
    private func url(of request: SyncPreview.Request, _ preview: SyncPreview) -> String {
        guard request.path.hasPrefix("/") else { return request.path }
        let server =
            if let name = preview.definition.target.json["connection"]?.stringValue {
                configuration.connections[name]?.baseURL
            } else {
                configuration.credentials?.instanceURL
            }
        // The path contains that of the server's URL.
        let origin = (server ?? "").split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        return origin.joined(separator: "/") + request.path
    }

    /// `{"event", "sync", "type", "soup", "requests", "count"?, "records", "error"?}`.
    private func json(_ preview: SyncPreview) -> JSONValue {
        func requests(_ requests: [SyncPreview.Request]) -> JSONValue {
            .array(
                requests.map { request in
                    var object: JSONObject = [
                        "method": .string(request.method), "url": .string(url(of: request, preview)),
                        "headers": .object(
                            JSONObject(request.headers.map { (key: $0.name, value: .string($0.value)) })),
                    ]
                    object["body"] = request.body.map { .string($0) }
                    return .object(object)
                })
        }
        var object: JSONObject = [
            "event": "preview", "sync": preview.definition.name.map { .string($0) } ?? .null,
            "type": .string(preview.definition.type.rawValue), "soup": .string(preview.definition.soup.rawValue),
            "requests": requests(preview.requests),
            "records": .array(
                preview.records.map { record in
                    var object: JSONObject = [
                        "soup": .string(record.soup.rawValue), "entryId": .int(record.entryId),
                        "id": record.id.map { .string($0) } ?? .null, "action": .string(record.action.rawValue),
                        "effect": .string(record.effect.rawValue), "requests": requests(record.requests),
                    ]
                    object["reason"] = record.reason?.json
                    return .object(object)
                }),
        ]
        object["count"] = preview.count.map { .int(Int64($0)) }
        object["error"] = preview.error.map { ["code": .string($0.code.rawValue), "message": .string($0.message)] }
        return .object(object)
    }
}

extension SyncPreview.Effect {
    fileprivate var text: String {
        switch self {
        case .send: "to send"
        case .resolve: "to resolve with the server's version"
        case .conflict: "in conflict"
        case .hold: "held"
        case .fail: "cannot be sent"
        case .remove: "to remove locally"
        case .lookUp: "to look up on the server"
        }
    }
}

#endif

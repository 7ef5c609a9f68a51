// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checked form of a request with several changes.
struct BatchForm: Sendable {
    let size: Int
    let list: String?
    let elements: BatchElements
    let results: JSONPath
    let status: JSONPath?
    let record: JSONPath
    let match: BatchMatch

    /// - Throws: ``SoupError`` with the place of a fault.
    init(_ configuration: BatchConfiguration, _ kind: RecordChange.Kind, of service: Service) throws {
        var faults = ConfigurationFaults()
        func add(_ message: String, at key: String, hint: String) {
            let place = SoupError.Place(path: "\(kind.rawValue).batch.\(key)")
            faults.add(SoupError(.badConfiguration, message, place: place, hint: hint))
        }
        size = configuration.size ?? 100
        list = configuration.list
        elements = configuration.elements ?? .records
        results = JSONPath(configured: configuration.results ?? "")
        status = configuration.status.map { JSONPath(configured: $0) }
        record = JSONPath(configured: configuration.record ?? "")
        match = configuration.match ?? .order
        if !(1...1000).contains(size) {
            add("the size is not from 1 to 1000", at: "size", hint: "Remove it to use 100.")
        }
        if elements == .ids, kind != .delete {
            add("\"ids\" is only used with \"delete\"", at: "elements", hint: "Remove it.")
        }
        if match == .id, kind == .create {
            add("a creation has no ID yet", at: "match", hint: "Use \"order\" or \"clientKey\".")
        }
        if match == .clientKey, kind != .create {
            add("only creations have a client key", at: "match", hint: "Use \"order\" or \"id\".")
        }
        if kind != .create, service.id.path.keys.count > 1 {
            add("records with a nested ID cannot be sent in batches", at: "list", hint: "Remove \"batch\".")
        }
        try faults.finish()
    }
}

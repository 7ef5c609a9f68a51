// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checked way from one page to the next.
struct Paging: Sendable {
    let kind: PagingKind
    let limit: Int?
    let first: Int
    /// The place of the cursor; nil for other kinds.
    let next: CursorLocation?
    let more: JSONPath?
    let pages: JSONPath?
    let expired: Set<Int>

    /// The one page of a list without pages.
    static let none = Paging()

    private init() {
        (kind, limit, first, next, more, pages, expired) = (.none, nil, 1, nil, nil, nil, [])
    }

    init(_ configuration: PagingConfiguration, faults: inout ConfigurationFaults) {
        kind = configuration.type
        limit = configuration.limit
        first = configuration.first ?? 1
        next = configuration.next
        more = configuration.more.map { JSONPath(configured: $0) }
        pages = configuration.pages.map { JSONPath(configured: $0) }
        expired = Set(configuration.expired ?? [400, 404, 410])
        for (isPresent, key, kinds) in [
            (configuration.first != nil, "first", [PagingKind.page]), (next != nil, "next", [.cursor]),
            (more != nil, "more", [.page, .offset, .keyset, .lastId]), (pages != nil, "pages", [.page]),
        ] where isPresent && !kinds.contains(kind) {
            let names = kinds.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            faults.add(Self.fault("\"\(key)\" is only used with \(names)", at: key, hint: "Remove it."))
        }
        if kind == .cursor, next == nil {
            faults.add(
                Self.fault(
                    "the place of the cursor is missing", at: "next",
                    hint: "Add \"next\" with the path of the cursor, or of the URL of the next page."))
        }
        if let next { faults.check { try next.check(at: "paging.next") } }
        if let limit, !(1...100_000).contains(limit) {
            faults.add(
                Self.fault("the limit is not from 1 to 100000", at: "limit", hint: "Use the server's page size."))
        }
        if !(0...1).contains(first) {
            faults.add(Self.fault("the first page is not 0 or 1", at: "first", hint: "Write 0 or 1."))
        }
    }

    /// The parameters that the kind adds if no parameter contains its variable.
    func completed(_ parameters: [String: ParameterValue]) -> [String: ParameterValue] {
        var parameters = parameters
        func add(_ name: String) {
            guard !parameters.values.contains(where: { $0.text.contains("{\(name)}") }) else { return }
            if parameters[name] == nil { parameters[name] = ParameterValue("{\(name)}") }
        }
        switch kind {
        case .page: add("page")
        case .offset: add("offset")
        case .none, .cursor, .link, .keyset, .lastId: break
        }
        return parameters
    }

    /// The variables that have a value in a list with these pages.
    var variables: [TemplateVariable] {
        let own: [TemplateVariable] =
            switch kind {
            case .none, .link: []
            case .page: [.page]
            case .offset: [.offset]
            case .cursor: [.cursor]
            case .keyset, .lastId: [.lastId]
            }
        return own + (limit == nil ? [] : [.limit])
    }

    private static func fault(_ message: String, at key: String, hint: String) -> SoupError {
        SoupError(.badConfiguration, message, place: SoupError.Place(path: "paging.\(key)"), hint: hint)
    }
}

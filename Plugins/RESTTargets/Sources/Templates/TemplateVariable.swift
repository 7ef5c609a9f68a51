// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A named value that a template inserts.
enum TemplateVariable: Sendable, Hashable {
    /// The time from which changes are fetched.
    case since
    /// The token of the last run.
    case token
    /// The cursor from the previous page.
    case cursor
    /// The number of the page.
    case page
    /// The number of records before the page.
    case offset
    /// The number of records on a page.
    case limit
    /// The ID of the last record of the previous page.
    case lastId
    /// The ID of a record.
    case id
    /// Several IDs with commas between them.
    case ids
    /// The key of a creation.
    case clientKey
    /// A value of the record.
    case field(String)

    /// The name in braces; that of a field is `field:` and its path.
    var name: String {
        switch self {
        case .since: "since"
        case .token: "token"
        case .cursor: "cursor"
        case .page: "page"
        case .offset: "offset"
        case .limit: "limit"
        case .lastId: "lastId"
        case .id: "id"
        case .ids: "ids"
        case .clientKey: "clientKey"
        case .field(let path): "field:\(path)"
        }
    }
}

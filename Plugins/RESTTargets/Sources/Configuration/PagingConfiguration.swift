// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The way to the next page.
enum PagingKind: String, Sendable, Hashable, Decodable, CaseIterable {
    /// One response contains all records.
    case none
    /// Pages have numbers.
    case page
    /// A page begins after a number of records.
    case offset
    /// The body or a header contains a cursor or the URL of the next page.
    case cursor
    /// The `Link` header contains the URL of the next page.
    case link
    /// A page begins after the date and the ID of the last record.
    case keyset
    /// A page begins after the ID of the last record.
    case lastId
}

/// The key `paging`: a word, or an object whose `type` is the word.
struct PagingConfiguration: Sendable, Hashable, Decodable {
    var type: PagingKind
    /// The number of records on a page, for `{limit}`.
    var limit: Int?
    /// The number of the first page.
    var first: Int?
    /// The place of the cursor.
    var next: CursorLocation?
    /// The path of a value that is null, false or missing on the last page.
    var more: String?
    /// The path of the number of pages.
    var pages: String?
    /// The statuses for a cursor that the server no longer knows.
    var expired: [Int]?

    private enum CodingKeys: String, CodingKey {
        case type
        case limit
        case first
        case next
        case more
        case pages
        case expired
    }

    init(_ type: PagingKind) { self.type = type }

    init(from decoder: any Decoder) throws {
        if (try? decoder.singleValueContainer().decode(String.self)) != nil {
            self.init(try decoder.singleValueContainer().decode(PagingKind.self))
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(PagingKind.self, forKey: .type))
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
        first = try container.decodeIfPresent(Int.self, forKey: .first)
        next = try container.decodeIfPresent(CursorLocation.self, forKey: .next)
        more = try container.decodeIfPresent(String.self, forKey: .more)
        pages = try container.decodeIfPresent(String.self, forKey: .pages)
        expired = try container.decodeIfPresent([Int].self, forKey: .expired)
    }
}

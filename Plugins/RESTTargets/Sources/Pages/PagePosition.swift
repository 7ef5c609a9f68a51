// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The pages before one that is requested by a number.
struct EarlierPages: Sendable, Hashable {
    /// The ID of the first record of these pages; empty if they had none.
    ///
    /// A page that begins with the same record shows that the server ignores the number.
    var firstId = ""
    /// The largest number of records that these pages announced for the list; nil without one.
    ///
    /// A list that has shrunk since then has moved records to pages that were already read.
    var total: Int?
}

/// The position of a page, as its cursor contains it.
enum PagePosition: Sendable, Hashable {
    /// The number of a page.
    case page(Int, after: EarlierPages)
    /// The number of records before the page.
    case offset(Int, after: EarlierPages)
    /// The server's cursor.
    case cursor(String)
    /// The URL of the page.
    case link(PageLink)
    /// The date and the ID of the last record, as the server sent them.
    case after(date: JSONText, id: JSONText)
    /// The ID of the last record of the page before it.
    case lastId(String)

    /// The cursor to store.
    var cursor: PageCursor {
        switch self {
        case .page(let number, let earlier), .offset(let number, let earlier):
            PageCursor("\(number) \(earlier.total.map { "\($0)" } ?? "-") \(earlier.firstId)")
        case .cursor(let text), .lastId(let text): PageCursor(text)
        case .link(let link): PageCursor(link.path)
        case .after(let date, let id): PageCursor(JSONText.array([date, id]).description)
        }
    }

    /// Reads a stored cursor.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for a text that this paging does not write, for example because the
    ///   configuration was changed.
    init(_ cursor: PageCursor, _ paging: Paging, usesCursorVariable: Bool) throws {
        let text = cursor.rawValue
        let position: PagePosition? =
            switch paging.kind {
            case .none: nil
            case .page: Self.number(text).map { .page($0, after: $1) }
            case .offset: Self.number(text).map { .offset($0, after: $1) }
            case .cursor where usesCursorVariable: Self.isToken(text) ? .cursor(text) : nil
            case .cursor, .link: PageLink(stored: text).map { .link($0) }
            case .keyset: Self.last(text)
            case .lastId: ServerId.isPossible(text) ? .lastId(text) : nil
            }
        guard let position else {
            throw SoupError(
                .cursorExpired, "the stored cursor \"\(text.excerpt(50))\" is not one of \(paging.kind.rawValue) paging"
            )
        }
        self = position
    }

    /// Whether a text can be a server's cursor: it is not empty, and has no control characters.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16_384 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func number(_ text: String) -> (Int, EarlierPages)? {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = count(parts[0]) else { return nil }
        let total = count(parts[1])
        guard total != nil || parts[1] == "-", parts[2].isEmpty || ServerId.isPossible(String(parts[2])) else {
            return nil
        }
        return (number, EarlierPages(firstId: String(parts[2]), total: total))
    }

    /// Reads a number as ``cursor`` writes it.
    private static func count(_ text: Substring) -> Int? {
        guard let number = Int(text), number >= 0, "\(number)" == text else { return nil }
        return number
    }

    private static func last(_ text: String) -> PagePosition? {
        guard let parts = (try? JSONText(text))?.elements, parts.count == 2, parts[1].value.idText != nil else {
            return nil
        }
        return .after(date: parts[0], id: parts[1])
    }
}

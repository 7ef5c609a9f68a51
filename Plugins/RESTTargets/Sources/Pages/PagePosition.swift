// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The position of a page, as its cursor contains it.
enum PagePosition: Sendable, Hashable {
    /// The number of a page, and the ID of the first record of the pages before it; empty if they had none.
    ///
    /// A page that begins with the same record shows that the server ignores the number.
    case page(Int, previousId: String)
    /// The number of records before the page, and the ID of the first record of the page before it.
    case offset(Int, previousId: String)
    /// The server's cursor.
    case cursor(String)
    /// The URL of the page.
    case link(PageLink)
    /// The date and the ID of the last record, as the server sent them.
    case after(date: JSONText, id: JSONText)
    /// The ID of the last record of the page before it.
    case lastId(String)

    /// Whether the page is requested by a number, which leads to other records once the list has changed.
    var isNumbered: Bool {
        switch self {
        case .page, .offset: true
        case .link(let link): link.isNumbered
        case .cursor, .after, .lastId: false
        }
    }

    /// The cursor to store.
    var cursor: PageCursor {
        switch self {
        case .page(let number, let id), .offset(let number, let id): PageCursor("\(number) \(id)")
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
            case .page: Self.number(text).map { .page($0, previousId: $1) }
            case .offset: Self.number(text).map { .offset($0, previousId: $1) }
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

    private static func number(_ text: String) -> (Int, String)? {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")), let number = Int(text[..<space]),
            (0..<1_000_000_000).contains(number), text.utf8.first.map({ (0x30...0x39).contains($0) }) == true
        else { return nil }
        let id = String(text[text.utf8.index(after: space)...])
        return id.isEmpty || ServerId.isPossible(id) ? (number, id) : nil
    }

    private static func last(_ text: String) -> PagePosition? {
        guard let parts = (try? JSONText(text))?.elements, parts.count == 2, parts[1].value.idText != nil else {
            return nil
        }
        return .after(date: parts[0], id: parts[1])
    }
}

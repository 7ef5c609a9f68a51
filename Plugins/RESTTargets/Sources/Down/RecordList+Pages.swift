// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension RecordList {
    /// A page that was read, and the position of the next one.
    struct Step {
        var page: ListPage
        var next: PagePosition?
        var answer: HTTPAnswer
    }

    /// Fetches the page at a position; nil is the first page.
    ///
    /// - Throws: ``SoupError``: `cursorExpired` if the server no longer knows the position or the token; `server`,
    ///   `json`, `network`.
    func step(at position: PagePosition?, with client: ServiceClient) async throws -> Step {
        let path = try path(of: position, with: client)
        let answer = try await client.get(path)
        guard answer.isSuccess else {
            let failure = answer.failure(of: "GET", path)
            let token = client.context.syncToken
            let isExpired =
                position == nil
                ? token != nil && self.token != nil && expiredToken.contains(answer.status) && isOwn(answer)
                : paging.expired.contains(answer.status)
            guard isExpired else {
                guard answer.status == 404, position == nil else { throw failure }
                var failure = failure
                failure.hint = "Check \"path\" or \"url\" of the target: the server has no list there."
                throw failure
            }
            throw SoupError(
                .cursorExpired,
                "the server does not know the \(position == nil ? "token" : "cursor"): \(failure.message)",
                hint: paging.kind == .page && paging.more == nil && paging.pages == nil
                    ? "If the server responds so to the page after the last one, add \"more\" to \"paging\"." : nil)
        }
        let page = try ListPage(answer, of: self)
        if case .lastId(let id)? = position, page.ids.isEmpty { try await requireRecord(id, with: client) }
        return Step(page: page, next: try next(after: page, of: path, at: position), answer: answer)
    }

    /// Whether a response is an error of the service, and not that of a gateway: a token that is given up by mistake
    /// hides the deletions since then.
    private func isOwn(_ answer: HTTPAnswer) -> Bool {
        service.errorForm.failure(in: answer) != nil || (answer.status == 410 && answer.body.isEmpty)
    }

    /// Checks at the end of a list that the record after which it was requested was not deleted: a server may then
    /// respond with an empty page.
    ///
    /// A service that cannot return single records shows nothing, and its empty page ends the list.
    private func requireRecord(_ id: String, with client: ServiceClient) async throws {
        do {
            guard case .missing(let isConfirmed) = try await client.item(id) else { return }
            var listed: ListedRecords?
            if !isConfirmed { try await client.confirmPath(without: id, &listed) }
        } catch let error as SoupError where error.code == .server || error.code == .json {
            return
        }
        throw SoupError(.cursorExpired, "the last record of the previous page, \(id.excerpt(100)), no longer exists")
    }

    /// The path of a page with its parameters.
    private func path(of position: PagePosition?, with client: ServiceClient) throws -> String {
        if case .link(let link)? = position { return link.path }
        let context = client.context
        if position == nil, token != nil, !usesTokenVariable, let token = context.syncToken {
            guard let link = PageLink(stored: token) else {
                throw SoupError(.cursorExpired, "the stored token is not a URL")
            }
            return link.path
        }
        let start = try position.flatMap { try startDate(of: $0) }
        return query.path(of: client.listPath) { variable in
            switch (variable, position) {
            case (.limit, _): paging.limit.map(String.init)
            case (.token, _): context.syncToken
            case (.since, _): start ?? context.highWaterMark.flatMap { mark in since?.text(from: mark) }
            case (.page, .page(let number, _)?): String(number)
            case (.page, nil): String(paging.first)
            case (.offset, .offset(let number, _)?): String(number)
            case (.offset, nil): "0"
            case (.cursor, .cursor(let text)?): text
            case (.lastId, .after(_, let id)?): id.value.idText
            case (.lastId, .lastId(let id)?): id
            default: nil
            }
        }
    }

    /// The date of the last record of the previous page, for keyset paging.
    private func startDate(of position: PagePosition) throws -> String? {
        guard case .after(let date, _) = position else { return nil }
        guard let text = since?.text(of: date, service.dateFormat) else {
            throw SoupError(.cursorExpired, "the stored cursor contains no date of the service")
        }
        return text
    }

    /// The position of the next page; nil after the last one.
    ///
    /// - Parameter request: the path of the page, with its query.
    private func next(after page: ListPage, of request: String, at position: PagePosition?) throws -> PagePosition? {
        let path = String(request.prefix { $0 != "?" })
        let next: PagePosition? =
            switch paging.kind {
            case .none: nil
            case .page: try nextNumber(after: page, at: position)
            case .offset: try nextOffset(after: page, at: position)
            case .cursor: try nextCursor(after: page, of: path, at: position)
            case .link: try nextLink(after: page, of: path, at: position)
            case .keyset: try nextKey(after: page, at: position)
            case .lastId: try nextAfterLast(of: page, at: position)
            }
        if next == nil { try requireNoNext(page) }
        return next
    }

    /// A list that ends at a page which reports another one would lose records.
    private func requireNoNext(_ page: ListPage) throws {
        if page.links?.next != nil {
            throw SoupError(
                .incompleteAnswer, "the server reports a next page in its Link header, and \(reading)",
                hint: "Add \"paging\": \"link\".")
        }
        // The token for the next run can be a URL in such a member.
        guard let member = page.usualNext, member != token?.description, !page.ids.isEmpty else { return }
        throw SoupError(
            .incompleteAnswer, "the server reports a next page at \"\(member)\", and \(reading)",
            hint: member.lowercased().contains("has")
                ? "Check \"paging\": the types with numbers or the last record have \"more\": \"\(member)\"."
                : "Check \"paging\", for example \"paging\": {\"type\": \"cursor\", \"next\": \"\(member)\"} for a URL."
        )
    }

    private var reading: String {
        paging.kind == .none ? "the target has no \"paging\"" : "the list ends by the configured \"paging\""
    }

    private func nextNumber(after page: ListPage, at position: PagePosition?) throws -> PagePosition? {
        var (number, previousId) = (paging.first, "")
        if case .page(let current, let id)? = position {
            (number, previousId) = (current, id)
            try requireProgress(page, previousId: previousId, variable: "{page}")
        }
        guard continues(page) else { return nil }
        if paging.pages != nil {
            guard let pages = page.pages else { throw missing("pages", "the number of pages") }
            if number - paging.first + 1 >= pages { return nil }
        } else if paging.more == nil, page.ids.isEmpty {
            return nil
        }
        // A server that filters its pages has empty ones between others.
        return .page(number + 1, previousId: page.ids.first ?? previousId)
    }

    private func nextOffset(after page: ListPage, at position: PagePosition?) throws -> PagePosition? {
        var offset = 0
        if case .offset(let current, let previousId)? = position {
            offset = current
            try requireProgress(page, previousId: previousId, variable: "{offset}")
        }
        guard continues(page) else { return nil }
        guard let first = page.ids.first else { return try endOnEmptyPage() }
        offset += page.ids.count
        if let total = page.total, totalIsExact, offset >= total { return nil }
        return .offset(offset, previousId: first)
    }

    /// Ends a list at an empty page, unless the page itself reports more: the next one would be the same.
    private func endOnEmptyPage() throws -> PagePosition? {
        guard paging.more == nil else {
            throw SoupError(
                .incompleteAnswer, "the server reports further pages after a page without records",
                hint: "Check the path \"more\" in \"paging\". \(SoupError.changedResponsesHint)")
        }
        return nil
    }

    private func nextCursor(
        after page: ListPage, of path: String, at position: PagePosition?
    ) throws -> PagePosition? {
        guard let value = page.next, !value.isNull, value != false, value != "" else { return nil }
        guard let text = value.idText, PagePosition.isToken(text) else {
            throw SoupError(
                .json, "the value \(paging.next?.description ?? "") is not a cursor",
                hint: "Set \"next\" in \"paging\" to the path of a text or a number, or to a header.")
        }
        guard usesCursorVariable else {
            return try progressing(PageLink(text, relativeTo: path, origin: service.origin), from: position)
        }
        guard position != .cursor(text) else { throw noProgress("{cursor}") }
        return .cursor(text)
    }

    private func nextLink(
        after page: ListPage, of path: String, at position: PagePosition?
    ) throws -> PagePosition? {
        guard let links = page.links else { return nil }
        guard let next = links.next else {
            guard links.isComplete else {
                throw SoupError(
                    .server, "the server's Link header cannot be read, so the next page is unknown",
                    hint: SoupError.changedResponsesHint)
            }
            return nil
        }
        return try progressing(PageLink(reference: next, relativeTo: path, origin: service.origin), from: position)
    }

    private func progressing(_ link: PageLink, from position: PagePosition?) throws -> PagePosition {
        let next = PagePosition.link(link)
        guard next != position else {
            throw SoupError(.server, "the server reports a page as the next page of itself")
        }
        return next
    }

    private func nextKey(after page: ListPage, at position: PagePosition?) throws -> PagePosition? {
        guard continues(page) else { return nil }
        guard let last = page.last else { return try endOnEmptyPage() }
        guard page.isAscending else {
            throw SoupError(
                .incompleteAnswer, "the server's page is not in the order of the dates, so records would be missing",
                hint:
                    "Keyset paging needs a list in ascending order of the date and the ID. Add the parameter that sorts "
                    + "it so.")
        }
        guard let date = last.date, service.dateFormat.date(in: date) != nil else {
            throw SoupError(
                .json, "the last record of the page has no date at \"\(service.modified?.path.description ?? "")\"",
                hint: "Check \"modified\" and \"dateFormat\". Keyset paging needs a date in every record.")
        }
        let next = PagePosition.after(date: date, id: last.id)
        guard next != position else { throw noProgress("{since} and {lastId}") }
        return next
    }

    private func nextAfterLast(of page: ListPage, at position: PagePosition?) throws -> PagePosition? {
        guard continues(page) else { return nil }
        guard let last = page.ids.last else { return try endOnEmptyPage() }
        guard position != .lastId(last) else { throw noProgress("{lastId}") }
        return .lastId(last)
    }

    /// Whether the page itself reports that pages follow; true if it does not report it.
    private func continues(_ page: ListPage) -> Bool {
        guard paging.more != nil else { return true }
        guard let more = page.more else { return false }
        return !(more.isNull || more == false || more == 0 || more == "")
    }

    private func requireProgress(_ page: ListPage, previousId: String, variable: String) throws {
        guard page.ids.first == previousId else { return }
        throw noProgress(variable)
    }

    private func noProgress(_ variable: String) -> SoupError {
        SoupError(
            .incompleteAnswer, "the server sent the same page again",
            hint: "Check the names of the parameters with \(variable): the server may ignore them.")
    }

    private func missing(_ key: String, _ what: String) -> SoupError {
        SoupError(
            .json, "the server's page does not contain \(what)", hint: "Check the path \"\(key)\" in \"paging\".")
    }
}

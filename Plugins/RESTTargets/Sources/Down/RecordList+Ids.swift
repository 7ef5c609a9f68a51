// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension RecordList {
    /// Returns a list in which a variable has a value.
    func binding(_ variable: TemplateVariable, to value: String) -> RecordList {
        with(query.binding(variable, to: value))
    }

    /// Returns the IDs of all pages, without deleted records.
    ///
    /// - Throws: ``SoupError``, also for a list with fewer records than it announces.
    func allIds(with client: ServiceClient) async throws -> [String] {
        var context = client.context
        (context.highWaterMark, context.syncToken) = (nil, nil)
        let client = ServiceClient(service: service, context: context)
        var ids: [String] = []
        var known: Set<String> = []
        var pages = RepeatedPages()
        var deleted: Set<String> = []
        var position: PagePosition?
        var total: Int?
        repeat {
            try Task.checkCancellation()
            let step = try await step(at: position, with: client)
            let size = known.count
            known.formUnion(step.page.ids)
            let content: RepeatedPages.Content =
                step.page.ids.isEmpty ? .none : known.count == size ? .known : .new
            guard !pages.isEndless(after: content) else { throw SoupError.repeatedPages }
            ids += step.page.ids
            deleted.formUnion(step.page.deletedIds)
            // A list that shrinks may have moved records to pages that were already read.
            total = [total, step.page.total].compactMap { $0 }.max()
            position = step.next
        } while position != nil
        if self.total != nil, total == nil {
            throw SoupError(
                .json, "the list of IDs has no number of records at \"\(self.total?.description ?? "")\"",
                hint: "Check \"total\". \(SoupError.changedResponsesHint)")
        }
        // A record that is on two pages has shifted another one to none.
        if let total, known.count < total || total < 0 || (total == 0 && !known.isEmpty) {
            throw SoupError.incomplete("the list of IDs", expected: total, count: known.count)
        }
        return ids.filter { !deleted.contains($0) }
    }
}

extension ListQuery {
    private init(parameters: [(name: String, value: Template)]) { self.parameters = parameters }

    /// Returns the parameters with a value in place of a variable.
    func binding(_ variable: TemplateVariable, to value: String) -> ListQuery {
        ListQuery(parameters: parameters.map { ($0.name, $0.value.binding(variable, to: value)) })
    }
}

extension Template {
    private init(parts: [Part]) { self.parts = parts }

    /// Returns the template with a text, which is encoded as a value, in place of a variable.
    func binding(_ variable: TemplateVariable, to value: String) -> Template {
        Template(parts: parts.map { $0 == .variable(variable) ? .text(value) : $0 })
    }
}

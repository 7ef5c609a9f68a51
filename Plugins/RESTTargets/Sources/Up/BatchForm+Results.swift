// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension BatchForm {
    /// Returns the body with several changes.
    func body(of parts: [(request: PushRequest, change: RecordChange)], _ form: PushForm) -> JSONText {
        let list = JSONText.array(parts.map { element(of: $0.change, $0.request, form) })
        return self.list.map { .object([($0, list)]) } ?? list
    }

    private func element(of change: RecordChange, _ request: PushRequest, _ form: PushForm) -> JSONText {
        guard change.kind != .create else { return request.body ?? .object([]) }
        let id = id(of: change, form)
        if change.kind == .delete { return elements == .ids ? id : .object([(form.service.id.path.rawValue, id)]) }
        let name = form.service.id.path.rawValue
        let fields = (request.body?.members ?? []).filter { $0.key != name }
        return .object([(name, id)] + fields.map { (name: $0.key, value: $0.value) })
    }

    /// The ID as the entry contains it, which can be a number.
    private func id(of change: RecordChange, _ form: PushForm) -> JSONText {
        let id = change.serverId ?? ""
        let own = change.record.members?.first { $0.key == form.service.id.field }?.value
        return own.flatMap { $0.value.idText == id ? $0 : nil } ?? .string(id)
    }

    /// Returns the result of each change; nil for a change without a result.
    ///
    /// If results are matched by their order and have another number, no change has one.
    func results(in answer: HTTPAnswer, for changes: [RecordChange], _ form: PushForm) -> [PushAnswer?] {
        guard let elements = (try? answer.json())?.part(at: results)?.elements else {
            // A deletion can be confirmed without results.
            let isDone = changes.allSatisfy { $0.kind == .delete } && answer.status == 204
            return changes.map { _ in isDone ? PushAnswer(answer: answer, record: record) : nil }
        }
        let found = elements.map { self.answer(for: $0, in: answer, form) }
        if match == .order {
            guard elements.count == changes.count else { return changes.map { _ in nil } }
            guard changes.contains(where: { $0.kind == .create }) else { return found }
            let sent = changes.map { Self.values(of: $0.record) }
            return zip(found.indices, found).map { position, result in
                isClearly(position, elements[position], in: sent) ? result : nil
            }
        }
        let keys = elements.map { key(of: $0.part(at: record) ?? $0, form) }
        let own = changes.map { change in
            match == .id ? change.serverId : form.clientKey?.value(of: change, idField: form.service.id.field)
        }
        // A record that is created again may have no key; one such change and one such result belong together.
        let left = keys.indices.filter { keys[$0] == nil || !own.contains(keys[$0]) }
        let isClear = own.count { $0 == nil } == 1 && left.count == 1 && elements.count == changes.count
        return own.map { own in
            guard let own else { return isClear ? found[left[0]] : nil }
            let positions = keys.indices.filter { keys[$0] == own }
            return positions.count == 1 ? found[positions[0]] : nil
        }
    }

    private func key(of record: JSONText, _ form: PushForm) -> String? {
        match == .id
            ? form.service.recordId(in: record)
            : form.clientKey?.field.flatMap { record[JSONPath($0)]?.idText }
    }

    /// Whether no other creation of the batch fits a result better than the one at its position: a service may return
    /// results in another order.
    ///
    /// - Parameter sent: the values of all creations.
    private func isClearly(_ position: Int, _ element: JSONText, in sent: [[String: JSONValue]]) -> Bool {
        let result = element.part(at: record).map(Self.values) ?? [:]
        func equal(_ values: [String: JSONValue]) -> Int { values.count { result[$0.key] == $0.value } }
        let own = equal(sent[position])
        return own == sent[position].count || sent.allSatisfy { equal($0) <= own }
    }

    /// Returns the members of a record that are not null.
    private static func values(of record: JSONText) -> [String: JSONValue] {
        let members = (record.members ?? []).map { ($0.key, $0.value.value) }.filter { !$0.1.isNull }
        return Dictionary(members, uniquingKeysWith: { $1 })
    }

    /// Returns the response for a result; nil if it has no readable status although one is configured.
    private func answer(for result: JSONText, in answer: HTTPAnswer, _ form: PushForm) -> PushAnswer? {
        let own = status.map { Self.status(result[$0]) }
        if case .some(.none) = own { return nil }
        // An error without a status of its own.
        let isError = own == nil && form.service.errorForm.isPresent(in: result)
        let code = own.flatMap { $0 } ?? (isError ? 422 : answer.status)
        let status = (100..<1000).contains(code) ? code : 599
        // The record, or the error in its place; an error may also be beside it.
        let part = result.part(at: record).flatMap { [0x5B, 0x7B].contains($0.bytes.first ?? 0) ? $0 : nil }
        return PushAnswer(
            answer: HTTPAnswer(HTTPResponse(status: .init(code: status)), body: Array((part ?? result).bytes)),
            record: part == nil ? record : "", isResult: true, hasOwnStatus: own != nil)
    }

    /// Reads a status: a number, a text that begins with one or with the version of HTTP, or whether it is a success.
    private static func status(_ value: JSONValue?) -> Int? {
        if let flag = value?.boolValue { return flag ? 200 : 422 }
        if let number = value?.intValue { return Int(exactly: number) }
        let words = value?.stringValue?.split(separator: " ") ?? []
        let text = words.first?.hasPrefix("HTTP/") == true ? words.dropFirst().first : words.first
        return text.flatMap { $0.utf8.count == 3 ? Int($0) : nil }
    }
}

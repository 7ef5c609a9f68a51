// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

extension SalesforceClient {
    /// Fetches a page with one record: the unchanged object of the server's response, with a generated ID.
    ///
    /// - Parameters:
    ///   - cursor: must be nil, because there is only one page.
    ///   - what: a description for errors, such as `the layout of Account`.
    ///   - list: a member that is an array in every description of this kind.
    ///   - name: the member with the name of the described object, if the description has it.
    /// - Throws: ``SoupError``: `server`, `objectNotFound`, `network`, `json`, `cursorExpired`.
    func description(
        at path: String, after cursor: PageCursor?, as id: String, in idField: String, of what: String,
        list: JSONPath, name: (member: JSONPath, value: String)
    ) async throws -> RecordPage {
        guard cursor == nil else { throw SoupError(.cursorExpired, "\(what) has no further pages") }
        let answer = try await send(.get, apiPath + path)
        guard answer.isOK else { throw answer.salesforceFailure(of: what) }
        let object: JSONText
        do {
            object = try JSONText(answer.body[...])
        } catch {
            throw SoupError(.json, "\(what) is not JSON: \(error)", cause: error)
        }
        guard object.bytes.first == UInt8(ascii: "{") else {
            throw SoupError(.json, "\(what) is not a JSON object: \(object.description.prefix(50))")
        }
        let named = object[name.member]?.stringValue
        guard object[list]?.arrayValue != nil,
            named.map({ $0.lowercased() == name.value.lowercased() }) ?? true
        else {
            throw SoupError(
                .json, "\(what) has no array at \"\(list)\", or describes another object",
                hint: "Check the URL of the server. \(SoupError.changedResponsesHint)")
        }
        let range = object.bytes.startIndex..<object.bytes.endIndex
        let stamp = RecordBatch.Stamp.none.setting(idField, .string(id))
        return RecordPage(
            RecordBatch(bytes: answer.body, ranges: [range], stamps: [stamp]), totalSize: 1,
            serverTime: answer.serverTime)
    }
}

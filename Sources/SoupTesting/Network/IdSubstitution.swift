// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The replacement of the IDs in a server's response with a text.
struct IdSubstitution: Sendable {
    var text: String
    /// The members that contain IDs, in lower case.
    var keys: Set<String>
    /// Values that are IDs wherever they are.
    var ids: Set<String>

    func applied(to answer: HTTPAnswer) -> HTTPAnswer {
        var answer = answer
        if let json = try? JSONValue(parsing: answer.body), let text = try? JSONText(applied(to: json)) {
            answer.body = Array(text.bytes)
        }
        if let location = answer.response.headerFields[.location] {
            let id = ids.first { location.hasSuffix("/\($0)") }
            if let id { answer.response.headerFields[.location] = String(location.dropLast(id.count)) + text }
        }
        return answer
    }

    private func applied(to json: JSONValue) -> JSONValue {
        switch json {
        case .array(let items): return .array(items.map { applied(to: $0) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { key, value in
                        let isId = value.idText != nil && keys.contains(key.lowercased())
                        return (key: key, value: isId ? .string(text) : applied(to: value))
                    }))
        default: return json.idText.map(ids.contains) == true ? .string(text) : json
        }
    }
}

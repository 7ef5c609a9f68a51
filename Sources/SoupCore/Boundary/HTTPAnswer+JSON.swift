// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension HTTPAnswer {
    /// The body as JSON, undecoded.
    ///
    /// - Throws: ``SoupError`` with `json` when it is something else, such as a page of HTML or half an answer.
    public func json() throws -> JSONText {
        do {
            return try JSONText(body[...])
        } catch {
            throw SoupError(.json, "the server's answer is not JSON: \(error)", cause: error)
        }
    }

    /// The body's JSON as a type of the target.
    ///
    /// - Throws: ``SoupError`` with `json` when the body is not JSON, or not of that shape.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        let text = try json()
        do {
            return try text.decode(type)
        } catch {
            throw SoupError(.json, "the server's answer is not the JSON expected: \(error)", cause: error)
        }
    }
}

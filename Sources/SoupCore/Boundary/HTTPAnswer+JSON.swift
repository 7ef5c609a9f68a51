// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension HTTPAnswer {
    /// Returns the body as undecoded JSON.
    ///
    /// - Throws: ``SoupError`` with `json` if the body is not JSON, such as an HTML page or a truncated response.
    public func json() throws -> JSONText {
        do {
            return try JSONText(body[...])
        } catch {
            throw SoupError(.json, "the server's response is not JSON: \(error)", cause: error)
        }
    }

    /// Decodes the body's JSON as a type of the target.
    ///
    /// - Throws: ``SoupError`` with `json` if the body is not JSON, or does not have that shape.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        let text = try json()
        do {
            return try text.decode(type)
        } catch {
            throw SoupError(
                .json, "the server's response does not have the expected JSON structure: \(error)", cause: error)
        }
    }
}

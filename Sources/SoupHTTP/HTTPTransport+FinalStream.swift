// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import SoupCore

extension HTTPTransport {
    /// Returns the final response of several attempts as a stream; the responses before it are read here.
    ///
    /// - Parameters:
    ///   - mask: removes the secrets from the errors of the body.
    ///   - attempts: sends requests with the given function until no further attempt is necessary.
    /// - Throws: the errors of the attempts.
    package func finalStream(
        body: [UInt8]?, masking mask: SecretMask,
        of attempts: ((HTTPRequest) async throws -> HTTPAnswer) async throws -> HTTPAnswer
    ) async throws -> HTTPAnswerStream {
        var stream: HTTPAnswerStream?
        let answer = try await attempts { request in
            let arriving = try await self.stream(request, body: body)
            guard arriving.isSuccess else { return try await arriving.answer() }
            stream = arriving
            return HTTPAnswer(arriving.response)
        }
        guard let stream else { return answer.stream }
        return HTTPAnswerStream(stream.response, body: stream.body.mapErrors { mask.masked($0) })
    }
}

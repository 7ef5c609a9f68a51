// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/composite/batch`: runs independent requests.
struct CompositeBatchHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func run() throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let items = body["batchRequests"]?.arrayValue, (1...25).contains(items.count) else {
            throw OrgError(400, "INVALID_INPUT", message: "The request needs from 1 to 25 batchRequests")
        }
        let requests = try items.map { try Self.request($0) }
        let haltsOnError = body["haltOnError"]?.boolValue ?? false
        // Unlike the other composite resources, a batch counts as many calls as it has requests.
        context.org.dailyLimit.add(max(0, requests.count - 1), at: context.org.clock.now)
        var output = JSONOutput()
        var hasErrors = false
        for (index, request) in requests.enumerated() {
            let answer = haltsOnError && hasErrors ? Self.halted : try answer(request)
            hasErrors = hasErrors || answer.status >= 400
            output.append(index == 0 ? "{\"statusCode\":" : ",{\"statusCode\":")
            output.append(answer.status)
            output.append(",\"result\":")
            if answer.body.isEmpty { output.append("null") } else { output.append(answer.body) }
            output.append(UInt8(ascii: "}"))
        }
        var envelope = JSONOutput()
        envelope.append(hasErrors ? "{\"hasErrors\":true,\"results\":[" : "{\"hasErrors\":false,\"results\":[")
        envelope.append(output.bytes)
        envelope.append("]}")
        return OrgAnswer(envelope)
    }

    private static let halted = OrgAnswer(
        OrgError(412, "BATCH_PROCESSING_HALTED", message: "Batch processing halted, per request"))

    /// Returns the request that an item of `batchRequests` describes.
    private static func request(_ item: JSONValue) throws -> OrgRequest {
        guard let method = item["method"]?.stringValue, let url = item["url"]?.stringValue else {
            throw OrgError(400, "INVALID_INPUT", message: "Each request of a batch needs a method and a url")
        }
        let input = item.richInput.flatMap { try? JSONText($0) }.map { Array($0.bytes) } ?? []
        return OrgRequest(method: method.uppercased(), url: absolute(url), body: input)
    }

    private func answer(_ request: OrgRequest) throws -> OrgAnswer {
        do {
            return try RequestDispatcher(context: context).answerNested(request)
        } catch let error as OrgError {
            return OrgAnswer(error)
        }
    }

    /// Returns the path of a URL in one of the forms that clients use: `v60.0/…`, `/v60.0/…`, `/services/data/v60.0/…`.
    private static func absolute(_ url: String) -> String {
        if url.utf8.starts(with: "/services/".utf8) { return url }
        return "/services/data" + (url.utf8.first == UInt8(ascii: "/") ? url : "/" + url)
    }
}

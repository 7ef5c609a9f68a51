// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Runs requests that know nothing of each other.
    func batch(_ request: OrgRequest) throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let items = body["batchRequests"]?.arrayValue, items.count <= 25 else {
            throw OrgError(400, "INVALID_INPUT", "The request needs at most 25 batchRequests")
        }
        let requests = try items.map { item in
            guard let method = item["method"]?.stringValue, let url = item["url"]?.stringValue else {
                throw OrgError(400, "INVALID_INPUT", "Each request of a batch needs a method and a url")
            }
            let input = item.richInput.flatMap { try? JSONText($0) }.map { Array($0.bytes) } ?? []
            return OrgRequest(method: method.uppercased(), url: Self.absolute(url), body: input)
        }
        let haltsOnError = body["haltOnError"]?.boolValue ?? false
        var output = JSONOutput()
        var hasErrors = false
        for (index, request) in requests.enumerated() {
            var answer: OrgAnswer
            if haltsOnError && hasErrors {
                answer = OrgAnswer(
                    OrgError(412, "BATCH_PROCESSING_HALTED", "Batch processing halted, per request"))
            } else {
                do { answer = try nested(request, false) } catch let error as OrgError { answer = OrgAnswer(error) }
            }
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

    /// The forms that clients use: `v60.0/…`, `/v60.0/…`, `/services/data/v60.0/…`.
    private static func absolute(_ url: String) -> String {
        if url.hasPrefix("/services/") { return url }
        return "/services/data" + (url.hasPrefix("/") ? url : "/" + url)
    }

    /// Runs graphs of requests: each graph as a whole or not at all, whatever becomes of the others.
    func graphs(_ request: OrgRequest) throws -> OrgAnswer {
        guard let graphs = try request.jsonObject()["graphs"]?.arrayValue, (1...75).contains(graphs.count) else {
            throw OrgError(400, "INVALID_INPUT", "The request needs from 1 to 75 graphs")
        }
        var seen: Set<String> = []
        let parsed = try graphs.map { graph in
            guard let id = graph.graphId?.stringValue, id.first?.isLetter == true || id.first?.isNumber == true,
                id.count < 40, seen.insert(id).inserted
            else { throw OrgError(400, "INVALID_INPUT", "Each graph needs a graphId of its own") }
            let subrequests = try subrequests(graph.objectValue ?? JSONObject(), limit: 500)
            let isAllowed = subrequests.allSatisfy {
                OrgRequest(method: $0.method, url: $0.url).segments.dropFirst(3).first == "sobjects"
            }
            guard isAllowed else { throw OrgError(400, "INVALID_INPUT", "Graphs are made of records only") }
            return (id, subrequests)
        }
        var output = JSONOutput()
        output.append("{\"graphs\":[")
        for (index, (id, subrequests)) in parsed.enumerated() {
            let answers = try run(subrequests, true)
            output.append(index == 0 ? "{\"graphId\":" : ",{\"graphId\":")
            output.append(json: .string(id))
            output.append(",\"graphResponse\":")
            output.append(Self.envelope(subrequests, answers).bytes)
            output.append(
                answers.contains { $0.status >= 400 } ? ",\"isSuccessful\":false}" : ",\"isSuccessful\":true}")
        }
        output.append("]}")
        return OrgAnswer(output)
    }
}

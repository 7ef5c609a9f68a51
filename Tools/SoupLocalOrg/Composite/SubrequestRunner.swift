// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Runs the requests inside a composite request or a graph.
struct SubrequestRunner {
    let context: OrgContext
    /// Whether the first failure rolls the other requests back.
    let isAllOrNone: Bool

    private struct Rollback: Error {
        var answers: [OrgAnswer]
        var failed: Int
    }

    /// Runs requests in order and returns their responses.
    ///
    /// With ``isAllOrNone`` a collection fails if one of its records fails, though its status is 200; then it keeps its
    /// own response.
    func run(_ subrequests: [Subrequest]) throws -> [OrgAnswer] {
        do {
            return try context.atomically {
                var answers = subrequests.map { _ in OrgAnswer(500) }
                var bodies: [String: JSONValue] = [:]
                let used = Set(subrequests.flatMap(\.references))
                let order =
                    context.faults.reversesSubrequests ? Self.reversed(subrequests) : Array(subrequests.indices)
                for index in order {
                    let subrequest = subrequests[index]
                    let answer = try answer(subrequest, at: index, bodies: bodies)
                    answers[index] = answer
                    let mayContainFailures = isAllOrNone && subrequest.isCollection
                    let body =
                        mayContainFailures || used.contains(subrequest.referenceId)
                        ? try? JSONValue(parsing: answer.body) : nil
                    bodies[subrequest.referenceId] = body
                    if isAllOrNone, answer.status >= 400 || (mayContainFailures && Self.hasFailedItems(body)) {
                        throw Rollback(answers: answers, failed: index)
                    }
                }
                return answers
            }
        } catch let rollback as Rollback {
            let halted = OrgAnswer(
                OrgError(
                    400, "PROCESSING_HALTED",
                    message:
                        "The transaction was rolled back since another operation in the same transaction failed."))
            return subrequests.indices.map { $0 == rollback.failed ? rollback.answers[$0] : halted }
        }
    }

    /// Returns the positions from the last to the first, but each after the subrequests whose responses it uses.
    private static func reversed(_ subrequests: [Subrequest]) -> [Int] {
        let needs = subrequests.map { subrequest in
            subrequests.indices.filter { subrequest.references.contains(subrequests[$0].referenceId) }
        }
        var order: [Int] = []
        while let next = subrequests.indices.last(where: { index in
            !order.contains(index) && needs[index].allSatisfy { $0 >= index || order.contains($0) }
        }) {
            order.append(next)
        }
        return order
    }

    private static func hasFailedItems(_ body: JSONValue?) -> Bool {
        body?.arrayValue?.contains { $0.success == false } ?? false
    }

    /// - Parameter bodies: the bodies of earlier responses, by reference ID.
    private func answer(
        _ subrequest: Subrequest, at position: Int, bodies: [String: JSONValue]
    ) throws -> OrgAnswer {
        do {
            let target = subrequest.target
            // The records of a collection are checked one by one when it runs.
            let isRow = target.first == "sobjects" && subrequest.request.method != "GET"
            if let fault = context.faults.itemError(
                for: subrequest.body, at: isRow ? position : nil, referenceId: subrequest.referenceId,
                object: isRow ? target.dropFirst().first : nil)
            {
                throw fault
            }
            let references = CompositeReferences(bodies: bodies)
            var request = subrequest.request
            let url = try references.resolved(request.url)
            if url != request.url {
                request = OrgRequest(method: request.method, url: url, headers: request.headers)
            }
            let body = try subrequest.body.map { try references.resolved($0) }
            request.body = (body.flatMap { try? JSONText($0) }).map { Array($0.bytes) } ?? []
            request.isAllOrNone = isAllOrNone
            return try RequestDispatcher(context: context).answerNested(request)
        } catch let error as OrgError {
            return OrgAnswer(error)
        }
    }

    /// Returns the body of a composite response.
    static func envelope(_ subrequests: [Subrequest], _ answers: [OrgAnswer]) -> JSONOutput {
        var output = JSONOutput()
        output.append("{\"compositeResponse\":[")
        for (index, (subrequest, answer)) in zip(subrequests, answers).enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append("{\"body\":")
            if answer.body.isEmpty { output.append("null") } else { output.append(answer.body) }
            output.append(",\"httpHeaders\":")
            output.append(
                json: .object(JSONObject(answer.headers.map { (key: $0.name, value: .string($0.value)) })))
            output.append(",\"httpStatusCode\":")
            output.append(answer.status)
            output.append(",\"referenceId\":")
            output.append(json: .string(subrequest.referenceId))
            output.append(UInt8(ascii: "}"))
        }
        output.append("]}")
        return output
    }
}

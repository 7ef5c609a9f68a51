// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting

/// A server with the composite resource, which accepts all subrequests except those that a test refuses.
struct CompositeServer: Sendable {
    /// Returns the status and the error for a subrequest; nil accepts it.
    var refuse: @Sendable (_ line: String, _ body: JSONValue) -> (status: Int, code: String)? = { _, _ in nil }

    static let date = "Mon, 15 Jan 2024 12:00:00 GMT"

    func answer(_ request: RecordedRequest) -> HTTPAnswer {
        guard let subrequests = request.json?["compositeRequest"]?.arrayValue else {
            return HTTPAnswer(status: 404, "[]")
        }
        var failed: Set<String> = []
        let answers = subrequests.map { item -> String in
            let line = Self.line(item)
            let reference = item["referenceId"]?.stringValue ?? ""
            var error = refuse(line, item["body"] ?? .null)
            if failed.contains(where: { line.contains("@{\($0).id}") }) { error = (400, "PROCESSING_HALTED") }
            if let error {
                failed.insert(reference)
                let body = #"[{"errorCode":"\#(error.code)","message":"refused"}]"#
                return
                    #"{"body":\#(body),"httpHeaders":{},"httpStatusCode":\#(error.status),"referenceId":"\#(reference)"}"#
            }
            let creates = item["method"] == "POST"
            let body = creates ? #"{"id":"\#(rowId(reference))","success":true,"errors":[]}"# : "null"
            return
                #"{"body":\#(body),"httpHeaders":{},"httpStatusCode":\#(creates ? 201 : 204),"referenceId":"\#(reference)"}"#
        }
        return HTTPAnswer(
            #"{"compositeResponse":[\#(answers.joined(separator: ","))]}"#, headers: [.date: Self.date])
    }

    /// Returns a subrequest as a line: `POST Contact local_1 {"AccountId":"@{local_5.id}"}`.
    static func line(_ item: JSONValue) -> String {
        let url = item["url"]?.stringValue ?? ""
        let path = url.hasPrefix("/v/sobjects/") ? String(url.dropFirst("/v/sobjects/".count)) : url
        return "\(item["method"]?.stringValue ?? "") \(path) \(item["referenceId"]?.stringValue ?? "")"
            + (item["body"].map { " \($0)" } ?? "")
    }

    /// Returns the subrequests of each composite request.
    static func lines(_ transport: ScriptedTransport) -> [[String]] {
        transport.requests.map { ($0.json?["compositeRequest"]?.arrayValue ?? []).map(line) }
    }
}

/// Returns the API's response to a request for the states of records that it does not have; nil for another request.
func noStates(_ request: RecordedRequest) -> HTTPAnswer? {
    (request.json?["ids"]?.arrayValue).map { ids in
        HTTPAnswer("[\(ids.map { _ in "null" }.joined(separator: ","))]")
    }
}

/// Returns a valid record ID for a short key.
func rowId(_ key: String) -> String {
    let key = key.filter { $0.isLetter || $0.isNumber }
    return key.count == 15 ? key : "001" + String(repeating: "0", count: max(0, 12 - key.count)) + key
}

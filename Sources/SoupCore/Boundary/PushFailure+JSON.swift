// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension PushFailure {
    /// The error as it is kept in `__last_error__`: `{"message", "errorCode", "fields"}`, and `"isRetryable": true`
    /// when it is.
    public var json: JSONValue {
        var object: JSONObject = [
            "message": .string(message), "errorCode": .string(code), "fields": .array(fields.map { .string($0) }),
        ]
        if isRetryable { object["isRetryable"] = true }
        return .object(object)
    }

    /// Reads what ``json`` wrote, or what the mobile SDKs did: an error of the server as it came, alone or in an array.
    ///
    /// What of it can be understood is taken; a text that is none of these is the message.
    public init(lastError text: String) {
        let json = try? JSONValue(parsing: text)
        let error = json?.arrayValue?.first ?? json
        func first(_ keys: String...) -> String? { keys.lazy.compactMap { error?[$0]?.stringValue }.first }
        let code = first("errorCode", "statusCode", "error") ?? "UNKNOWN"
        self.init(
            code: code, message: first("message", "error_description") ?? (code == "UNKNOWN" ? text : code),
            fields: error?["fields"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            isRetryable: error?["isRetryable"]?.boolValue ?? false)
    }
}

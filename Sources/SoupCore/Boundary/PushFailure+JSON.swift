// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension PushFailure {
    /// The error as stored in `__last_error__`: `{"message", "errorCode", "fields"}`.
    ///
    /// If ``isRetryable`` is true, `"isRetryable": true` is added.
    public var json: JSONValue {
        var object: JSONObject = [
            "message": .string(message), "errorCode": .string(code), "fields": .array(fields.map { .string($0) }),
        ]
        if isRetryable { object["isRetryable"] = true }
        return .object(object)
    }

    /// Creates a failure from the text of ``json`` or from a text that the mobile SDKs wrote.
    ///
    /// The mobile SDKs store the server's error unchanged, alone or in an array. Unknown members are ignored; a text in
    /// none of these forms becomes the message. ``retry`` is ``Retry/inLaterRun`` or ``Retry/never``.
    public init(lastError text: String) {
        let json = try? JSONValue(parsing: text)
        let error = json?.arrayValue?.first ?? json
        func first(_ keys: String...) -> String? { keys.lazy.compactMap { error?[$0]?.stringValue }.first }
        let code = first("errorCode", "statusCode", "error") ?? "UNKNOWN"
        self.init(
            code: code, message: first("message", "error_description") ?? (code == "UNKNOWN" ? text : code),
            fields: error?["fields"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            retry: error?["isRetryable"]?.boolValue == true ? .inLaterRun : .never)
    }
}

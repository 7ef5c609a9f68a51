// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension OrgJournal {
    /// A request that a local org has answered, for tests and demos that inspect requests.
    public struct Entry: Sendable, Hashable {
        /// Counted from 1.
        public var number: Int
        /// The verb of the request.
        public var method: String
        /// The path of the request, with the query.
        public var path: String
        /// The headers, by their names in lower case; tokens are replaced by an ellipsis.
        public var headers: [String: String]
        /// The body, decompressed; empty for old requests: only the latest requests keep their bodies.
        public var body: [UInt8]
        /// The status of the response; 0 for a broken connection.
        public var status: Int
        /// The ID of the fault that took effect; if there is none, of the last one that only delayed the request.
        public var fault: String?
        /// The IDs of all faults that applied, in order.
        public var faults: [String]
        /// The time to the response in whole milliseconds, including the pauses of faults but not the sending.
        public var duration: Duration
        /// The number of rows that the request created, changed, deleted or undeleted, including dependent rows and
        /// rows whose references were cleared or restored.
        ///
        /// Rows whose values stayed the same do not count. Writes that `allOrNone` rolled back do.
        public var rowsWritten: Int

        /// The entry in the form of the administration, without the body.
        public var json: JSONValue {
            [
                "number": .int(Int64(number)), "method": .string(method), "path": .string(path),
                "headers": .object(
                    JSONObject(headers.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) })),
                "bodySize": .int(Int64(body.count)), "status": .int(Int64(status)),
                "fault": fault.map { .string($0) } ?? .null, "faults": .array(faults.map { .string($0) }),
                "ms": .int(duration.milliseconds), "rowsWritten": .int(Int64(rowsWritten)),
            ]
        }
    }
}

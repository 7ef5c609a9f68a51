// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The service's own response for a record that does not exist.
struct GoneForm: Sendable {
    let statuses: Set<Int>
    /// The path of a value that only this response has; nil if the status and a JSON body are all there is.
    let path: JSONPath?
    let values: [JSONValue]?

    init(_ configuration: GoneConfiguration?, faults: inout ConfigurationFaults) {
        statuses = Set(configuration?.statuses ?? [404, 410])
        path = configuration?.path.map { JSONPath(configured: $0) }
        values = configuration?.values
        if statuses.contains(where: { !(200..<500).contains($0) }) || statuses.isEmpty {
            faults.add(
                SoupError(
                    .badConfiguration, "the statuses are not between 200 and 499",
                    place: SoupError.Place(path: "gone.statuses"), hint: "Write statuses such as [404, 410]."))
        }
        if values != nil, path == nil {
            faults.add(
                SoupError(
                    .badConfiguration, "\"values\" needs the path of the value",
                    place: SoupError.Place(path: "gone.values"), hint: "Add \"path\" to \"gone\"."))
        }
    }

    /// The meaning of a response.
    enum Match {
        /// The response does not report a missing record.
        case none
        /// It can also mean that the path is wrong.
        case unconfirmed
        /// It is about the record.
        case confirmed
    }

    /// Compares a response with the form; a page of HTML never matches.
    func match(_ answer: HTTPAnswer) -> Match {
        guard statuses.contains(answer.status) else { return .none }
        guard let path else {
            return answer.body.isEmpty || answer.containsJSON ? .unconfirmed : .none
        }
        guard let value = (try? answer.json())?[path] else { return .none }
        guard let values else { return DeletedConfiguration.isMark(value) ? .confirmed : .none }
        // A number may be configured as a text.
        let isListed = values.contains { $0 == value || ($0.stringValue != nil && $0.stringValue == value.idText) }
        return isListed ? .confirmed : .none
    }
}

extension HTTPAnswer {
    /// Whether the body is a JSON object or array.
    var containsJSON: Bool {
        guard let first = (try? json())?.bytes.first else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

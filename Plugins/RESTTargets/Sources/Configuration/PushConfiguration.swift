// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The keys of a sync up beside those of ``ServiceConfiguration``.
struct PushConfiguration: Sendable, Hashable, Decodable {
    var create: RouteConfiguration?
    var update: RouteConfiguration?
    var delete: RouteConfiguration?
    var fieldlist: [String]?
    var createFieldlist: [String]?
    var updateFieldlist: [String]?
    var wrap: String?
    var constants: [String: JSONValue]?
    var ifMatch: Bool?
    var statuses: StatusConfiguration?
    var clientKey: ClientKeyConfiguration?
}

/// The form of an update.
enum UpdateStyle: String, Sendable, Hashable, Decodable, CaseIterable {
    /// PATCH with the changed fields.
    case patch
    /// PUT with the whole record.
    case put
    /// PATCH with a JSON Merge Patch (RFC 7396).
    case mergePatch
    /// PATCH with a JSON Patch (RFC 6902).
    case jsonPatch
}

/// The request for one kind of change: an object, false to send no such changes, or the word of an update style.
struct RouteConfiguration: Sendable, Hashable, Decodable {
    var isEnabled = true
    var style: UpdateStyle?
    var method: String?
    var path: String?
    var batch: BatchConfiguration?

    private enum CodingKeys: String, CodingKey {
        case style
        case method
        case path
        case batch
    }

    init(from decoder: any Decoder) throws {
        if let flag = try? decoder.singleValueContainer().decode(Bool.self) {
            isEnabled = flag
            return
        }
        if (try? decoder.singleValueContainer().decode(String.self)) != nil {
            style = try decoder.singleValueContainer().decode(UpdateStyle.self)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        style = try container.decodeIfPresent(UpdateStyle.self, forKey: .style)
        method = try container.decodeIfPresent(String.self, forKey: .method)
        path = try container.decodeIfPresent(String.self, forKey: .path)
        batch = try container.decodeIfPresent(BatchConfiguration.self, forKey: .batch)
    }
}

/// The form of a request with several changes.
struct BatchConfiguration: Sendable, Hashable, Decodable {
    /// The maximum number of changes; 100 by default.
    var size: Int?
    /// The member of the body with the list; without it, the body is the list.
    var list: String?
    /// The elements of the list; by default records.
    var elements: BatchElements?
    /// The path of the results in the response; without it, the body is the list of results.
    var results: String?
    /// The path of the status in a result.
    var status: String?
    /// The path of the record in a result.
    var record: String?
    /// The way in which a result is matched to its change; by default the order.
    var match: BatchMatch?
}

/// The elements of the list in a batch.
enum BatchElements: String, Sendable, Hashable, Decodable, CaseIterable {
    /// Records; for deletions, objects with the ID.
    case records
    /// For deletions, the IDs.
    case ids
}

/// The way in which the result of a batch is matched to its change.
enum BatchMatch: String, Sendable, Hashable, Decodable, CaseIterable {
    /// Results have the order of the changes.
    case order
    /// A result contains the ID of its record.
    case id
    /// A result contains the client key of its creation.
    case clientKey
}

/// The meaning of statuses.
struct StatusConfiguration: Sendable, Hashable, Decodable {
    var conflict: [Int]?
    var retry: [Int]?
    var rejected: [Int]?
}

/// The key by which the service finds a creation that it received before.
struct ClientKeyConfiguration: Sendable, Hashable, Decodable {
    /// The header that contains the key, such as `Idempotency-Key`.
    var header: String?
    /// The field of the record that contains the key.
    var field: String?
    /// Whether the service returns the existing record for a creation with a known key in ``field``.
    var isIdempotent: Bool?
    /// The parameters of the list that find a record by its key.
    var parameters: [String: ParameterValue]?
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The keys of a sync down beside those of ``ServiceConfiguration``.
struct ListConfiguration: Sendable, Hashable, Decodable {
    var parameters: [String: ParameterValue]?
    var paging: PagingConfiguration?
    var since: SinceConfiguration?
    var sortedByModified: Bool?
    var delta: DeltaConfiguration?
    var deleted: DeletedConfiguration?
    var deletedIds: String?
    var total: String?
    var totalIsExact: Bool?
    var survivors: SurvivorsConfiguration?

    /// The parameters without variables, or only with those of the paging.
    func pagingParameters(_ paging: Paging) -> [String: ParameterValue] {
        (parameters ?? [:]).filter { _, value in
            (try? Template(value.text, known: paging.variables, at: "parameters")) != nil
        }
    }
}

/// The filter by the date of the last change.
struct SinceConfiguration: Sendable, Hashable, Decodable {
    /// The comparison of the server with the date of a record.
    enum Operator: String, Sendable, Hashable, Decodable, CaseIterable {
        case greaterOrEqual = ">="
        case greater = ">"
    }

    /// The form of `{since}`; by default that of the dates in records.
    var format: RecordDateFormat?
    var `operator`: Operator?
    /// The number of seconds before the high-water mark at which the filter begins.
    var overlap: Double?
}

/// The token from which the next run continues.
struct DeltaConfiguration: Sendable, Hashable, Decodable {
    /// The path of the token in the body.
    var token: String
    /// The statuses for a token that the server no longer knows.
    var expired: [Int]?
}

/// The mark of a deleted record in a list.
///
/// In a configuration it is a path, whose value is not null, false or 0 in deleted records, or an object with the path
/// and the value that marks a deleted record.
struct DeletedConfiguration: Sendable, Hashable, Decodable {
    var path: JSONPath
    var value: JSONValue?

    private enum CodingKeys: String, CodingKey {
        case path
        case value
    }

    init(_ path: String, value: JSONValue? = nil) {
        self.path = JSONPath(configured: path)
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .path),
            value: try container.decodeIfPresent(JSONValue.self, forKey: .value))
    }

    /// Returns whether a value at the path marks a deleted record.
    func marks(_ found: JSONText?) -> Bool {
        let found = found?.value ?? .null
        if let value { return found == value }
        return Self.isMark(found)
    }

    /// Whether a value marks a record: it is not null, false, 0 or empty.
    static func isMark(_ value: JSONValue) -> Bool {
        !(value.isNull || value == false || value == 0 || value == "")
    }
}

/// The way to learn which records still exist, for cleaning ghosts.
struct SurvivorsConfiguration: Sendable, Hashable, Decodable {
    enum Kind: String, Sendable, Hashable, Decodable, CaseIterable {
        /// One request for each ID.
        case each
        /// A list with the given IDs in a parameter.
        case ids
        /// A list of all records.
        case list
    }

    var type: Kind
    /// The parameters of the list.
    var parameters: [String: ParameterValue]?
    /// The number of IDs in one request.
    var batch: Int?

    private enum CodingKeys: String, CodingKey {
        case type
        case parameters
        case batch
    }

    init(from decoder: any Decoder) throws {
        if (try? decoder.singleValueContainer().decode(String.self)) != nil {
            type = try decoder.singleValueContainer().decode(Kind.self)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(Kind.self, forKey: .type)
        parameters = try container.decodeIfPresent([String: ParameterValue].self, forKey: .parameters)
        batch = try container.decodeIfPresent(Int.self, forKey: .batch)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The keys of a target object that contain the field lists of parents.
struct ParentListKeys: Sendable, Hashable {
    var create = "createFieldlist"
    var update = "updateFieldlist"
}

/// The field lists of parents, under the names that the mobile SDKs read or those that the developer guide prints.
///
/// A list may be present under both names if the two are equal.
struct ParentFieldlists: Decodable {
    var create: [String]?
    var update: [String]?
    var keys = ParentListKeys()
    /// One fault for each list that is present under both names with different fields.
    var faults: [SoupError] = []

    private enum CodingKeys: String, CodingKey {
        case createFieldlist
        case updateFieldlist
        case parentCreateFieldlist
        case parentUpdateFieldlist
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        (create, keys.create) = try read(.createFieldlist, guideKey: .parentCreateFieldlist, from: container)
        (update, keys.update) = try read(.updateFieldlist, guideKey: .parentUpdateFieldlist, from: container)
    }

    private mutating func read(
        _ key: CodingKeys, guideKey: CodingKeys, from container: KeyedDecodingContainer<CodingKeys>
    ) throws -> (list: [String]?, key: String) {
        let list = try container.decodeIfPresent([String].self, forKey: key)
        let guideList = try container.decodeIfPresent([String].self, forKey: guideKey)
        if let list, let guideList, list != guideList {
            faults.append(
                SoupError(
                    .badConfiguration, "\(guideKey.rawValue) and \(key.rawValue) contain different fields",
                    place: SoupError.Place(path: guideKey.rawValue), hint: "Remove one of the two lists."))
        }
        return (list ?? guideList, (list == nil && guideList != nil ? guideKey : key).rawValue)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The targets that come with SoupKit, made in code.
///
/// Each is the `target` object that a `usersyncs.json` would hold: what the target refuses shows when the sync is
/// created. The README of each plug-in says what the keys mean.
extension TargetReference {
    /// A sync down of the records of a SOQL query.
    ///
    /// - Parameter maxBatchSize: records a page, from 200 to 2000.
    public static func soql(_ query: String, maxBatchSize: Int? = nil) -> TargetReference {
        make("soql", ["query": .string(query), "maxBatchSize": maxBatchSize.map { .int(Int64($0)) }])
    }

    /// A sync down of the records of a SOSL search.
    public static func sosl(_ query: String) -> TargetReference { make("sosl", ["query": .string(query)]) }

    /// A sync down of the records of one object that the user looked at last.
    public static func mru(_ sobjectType: String, fieldlist: [String]) -> TargetReference {
        make("mru", ["sobjectType": .string(sobjectType), "fieldlist": list(fieldlist)])
    }

    /// A sync down that brings the rows of a soup up to date, and no others.
    public static func refresh(
        _ sobjectType: String, fieldlist: [String], soupName: String
    ) -> TargetReference {
        make(
            "refresh",
            ["sobjectType": .string(sobjectType), "fieldlist": list(fieldlist), "soupName": .string(soupName)])
    }

    /// A sync down of the layout of an object.
    public static func layout(
        _ sobjectType: String, formFactor: String? = nil, layoutType: String? = nil, mode: String? = nil,
        recordTypeId: String? = nil
    ) -> TargetReference {
        make(
            "layout",
            [
                "sobjectType": .string(sobjectType), "formFactor": formFactor.map { .string($0) },
                "layoutType": layoutType.map { .string($0) }, "mode": mode.map { .string($0) },
                "recordTypeId": recordTypeId.map { .string($0) },
            ])
    }

    /// A sync down of the description of an object.
    public static func metadata(_ sobjectType: String) -> TargetReference {
        make("metadata", ["sobjectType": .string(sobjectType)])
    }

    /// A sync up in collections of up to 200 records: the default.
    public static func rest(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, maxBatchSize: Int? = nil
    ) -> TargetReference {
        up("rest", createFieldlist, updateFieldlist, externalIdFieldName, sobjectType, maxBatchSize)
    }

    /// A sync up in composite requests of up to 25 records.
    public static func batch(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, maxBatchSize: Int? = nil
    ) -> TargetReference {
        up("batch", createFieldlist, updateFieldlist, externalIdFieldName, sobjectType, maxBatchSize)
    }

    /// A sync up of one record a request.
    public static func single(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil
    ) -> TargetReference {
        up("single", createFieldlist, updateFieldlist, externalIdFieldName, sobjectType, nil)
    }

    private static func up(
        _ type: String, _ createFieldlist: [String]?, _ updateFieldlist: [String]?, _ externalIdFieldName: String?,
        _ sobjectType: String?, _ maxBatchSize: Int?
    ) -> TargetReference {
        make(
            type,
            [
                "createFieldlist": createFieldlist.map { list($0) },
                "updateFieldlist": updateFieldlist.map { list($0) },
                "externalIdFieldName": externalIdFieldName.map { .string($0) },
                "sobjectType": sobjectType.map { .string($0) }, "maxBatchSize": maxBatchSize.map { .int(Int64($0)) },
            ])
    }

    /// An object of a type and of the keys that have a value.
    private static func make(_ type: String, _ keys: KeyValuePairs<String, JSONValue?>) -> TargetReference {
        var object: JSONObject = ["type": .string(type)]
        for (key, value) in keys { object[key] = value }
        return TargetReference(.object(object))
    }

    private static func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import BriefcaseTargets
public import ParentChildrenTargets
public import SOQLTargets
public import SoupCore

/// The targets of SoupKit, created in code.
///
/// Each is the `target` object of a `usersyncs.json`. If the target rejects it, creating the sync throws. The README of
/// each plug-in documents the keys.
extension TargetReference {
    /// Returns a sync down of the records of a SOQL query.
    ///
    /// The target's default applies to each argument that is nil.
    ///
    /// - Parameters:
    ///   - maxBatchSize: the number of records per page, from 200 to 2000.
    ///   - deletes: how records that were deleted on the server are found: by comparing all IDs when ghosts are cleaned
    ///     (the default), or by requesting the latest deletions at the end of each run.
    ///   - bulk: whether a first run with many records reads them with a Bulk 2.0 query job; the default is `auto`.
    ///   - bulkThreshold: the number of records above which a job is used; the default is 100,000.
    ///   - lookback: the time before the high-water mark from which changes are fetched again; the default is ten
    ///     minutes.
    public static func soql(
        _ query: String, maxBatchSize: Int? = nil, deletes: DeleteMode? = nil,
        bulk: SOQLSyncDownTarget.BulkMode? = nil, bulkThreshold: Int? = nil, lookback: Duration? = nil
    ) -> TargetReference {
        make(
            "soql",
            [
                "query": .string(query), "maxBatchSize": maxBatchSize.map { .int(Int64($0)) },
                "deletes": deletes.map { .string($0.rawValue) }, "bulk": bulk.map { .string($0.rawValue) },
                "bulkThreshold": bulkThreshold.map { .int(Int64($0)) },
                "lookback": lookback.map { Lookback.json($0) },
            ])
    }

    /// Returns a sync down of the records of a SOSL search.
    public static func sosl(_ query: String) -> TargetReference { make("sosl", ["query": .string(query)]) }

    /// Returns a sync down of the records of one object that the user viewed most recently.
    public static func mru(_ sobjectType: String, fieldlist: [String]) -> TargetReference {
        make("mru", ["sobjectType": .string(sobjectType), "fieldlist": list(fieldlist)])
    }

    /// Returns a sync down that fetches the current server version of records that are already in a soup.
    ///
    /// `deletes` and `lookback` are those of ``soql(_:maxBatchSize:deletes:bulk:bulkThreshold:lookback:)``.
    public static func refresh(
        _ sobjectType: String, fieldlist: [String], soupName: String, deletes: DeleteMode? = nil,
        lookback: Duration? = nil
    ) -> TargetReference {
        make(
            "refresh",
            [
                "sobjectType": .string(sobjectType), "fieldlist": list(fieldlist), "soupName": .string(soupName),
                "deletes": deletes.map { .string($0.rawValue) }, "lookback": lookback.map { Lookback.json($0) },
            ])
    }

    /// Returns a sync down of the layout of an object.
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

    /// Returns a sync down of the description of an object.
    public static func metadata(_ sobjectType: String) -> TargetReference {
        make("metadata", ["sobjectType": .string(sobjectType)])
    }

    /// Returns a sync down of parents with their children, each type into the soup that its info names.
    ///
    /// ```swift
    /// .parentChildren(
    ///     ParentInfo(sobjectType: "Account", soupName: "accounts"), parentFieldlist: ["Name"],
    ///     children: [
    ///         ChildrenInfo(
    ///             ParentInfo(sobjectType: "Contact", soupName: "contacts"), sobjectTypePlural: "Contacts",
    ///             parentIdFieldName: "AccountId", fieldlist: ["LastName", "AccountId"])
    ///     ])
    /// ```
    ///
    /// - Parameters:
    ///   - parentFieldlist: the fields of parents; each type of children has its own `fieldlist`.
    ///   - relationship: the effect of a parent's deletion on its children, unless their info defines it.
    ///   - parentSoqlFilter: the WHERE condition that parents must meet; empty for all.
    ///   - maxBatchSize: the number of records per page, clamped to 200...2000; the server also counts children.
    ///   - changedChildrenOnly: whether a later run omits the unchanged children of a changed parent.
    ///   - childrenOfUnchangedParents: whether a later run also fetches changed children of unchanged parents.
    ///   - lookback: the time before the high-water marks from which changes are fetched again.
    ///   - deletes: how deleted records of each level, and those that left the tree, are found; nil for the setting of
    ///     the app.
    public static func parentChildren(
        _ parent: ParentInfo, parentFieldlist: [String], children: [ChildrenInfo],
        relationship: RecordLayout.Relationship = .lookup, parentSoqlFilter: String = "", maxBatchSize: Int = 2000,
        changedChildrenOnly: Bool = false, childrenOfUnchangedParents: Bool = true,
        lookback: Duration = .seconds(600), deletes: DeleteMode? = nil
    ) -> TargetReference {
        ParentChildrenSyncDownTarget.Configuration(
            tree: RecordTreeInfo(parent: parent, children: children, relationship: relationship),
            parentFieldlist: parentFieldlist, parentSoqlFilter: parentSoqlFilter, maxBatchSize: maxBatchSize,
            changedChildrenOnly: changedChildrenOnly, childrenOfUnchangedParents: childrenOfUnchangedParents,
            lookback: lookback, deletes: deletes
        ).target
    }

    /// Returns a sync down of the records of the user's briefcase.
    ///
    /// - Parameters:
    ///   - infos: the objects to fetch, each with its soup; other objects of the briefcase are ignored.
    ///   - countIdsPerRetrieve: the number of IDs per page, clamped to 1...2000.
    ///   - lookback: the time before the high-water mark from which changes are fetched again.
    ///   - deletes: how deleted records are found; nil for the setting of the app.
    public static func briefcase(
        _ infos: [BriefcaseObjectInfo], countIdsPerRetrieve: Int = 2000, lookback: Duration = .seconds(600),
        deletes: DeleteMode? = nil
    ) -> TargetReference {
        BriefcaseSyncDownTarget.Configuration(
            infos: infos, countIdsPerRetrieve: countIdsPerRetrieve, lookback: lookback, deletes: deletes
        ).target
    }

    /// Returns a sync up that sends parents together with their children.
    ///
    /// - Parameters:
    ///   - children: as for a sync down, each with a `createFieldlist` and an `updateFieldlist`, or a `fieldlist`.
    ///   - createFieldlist: the fields of parents to send when they are created; nil means those of the sync's options.
    ///   - updateFieldlist: the fields of parents to send when they are updated; nil means those of the sync's options.
    ///   - allOrNone: whether the server applies a tree completely or not at all.
    public static func parentChildren(
        _ parent: ParentInfo, createFieldlist: [String]?, updateFieldlist: [String]?, children: [ChildrenInfo],
        relationship: RecordLayout.Relationship = .lookup, allOrNone: Bool = false
    ) -> TargetReference {
        ParentChildrenSyncUpTarget.Configuration(
            tree: RecordTreeInfo(parent: parent, children: children, relationship: relationship),
            createFieldlist: createFieldlist, updateFieldlist: updateFieldlist, allOrNone: allOrNone
        ).target
    }

    /// Returns a sync up in collections of up to 200 records: the default.
    ///
    /// - Parameters:
    ///   - clientKeyFieldName: the field for a random key of each created record, by which a creation without a
    ///     response is looked up.
    ///   - isStrict: whether the server itself compares the modification dates of updates, in composite requests of up
    ///     to 25 records.
    public static func rest(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, maxBatchSize: Int? = nil, clientKeyFieldName: String? = nil,
        isStrict: Bool? = nil
    ) -> TargetReference {
        up(
            "rest", createFieldlist: createFieldlist, updateFieldlist: updateFieldlist,
            externalIdFieldName: externalIdFieldName, sobjectType: sobjectType, maxBatchSize: maxBatchSize,
            clientKeyFieldName: clientKeyFieldName, isStrict: isStrict)
    }

    /// Returns a sync up in composite requests of up to 25 records.
    ///
    /// - Parameter clientKeyFieldName: the field for a random key of each created record, by which a creation without a
    ///   response is looked up.
    public static func batch(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, maxBatchSize: Int? = nil, clientKeyFieldName: String? = nil
    ) -> TargetReference {
        up(
            "batch", createFieldlist: createFieldlist, updateFieldlist: updateFieldlist,
            externalIdFieldName: externalIdFieldName, sobjectType: sobjectType, maxBatchSize: maxBatchSize,
            clientKeyFieldName: clientKeyFieldName)
    }

    /// Returns a sync up with one request per record.
    ///
    /// - Parameter clientKeyFieldName: the field for a random key of each created record, by which a creation without a
    ///   response is looked up.
    public static func single(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, clientKeyFieldName: String? = nil
    ) -> TargetReference {
        up(
            "single", createFieldlist: createFieldlist, updateFieldlist: updateFieldlist,
            externalIdFieldName: externalIdFieldName, sobjectType: sobjectType, maxBatchSize: nil,
            clientKeyFieldName: clientKeyFieldName)
    }

    private static func up(
        _ type: String, createFieldlist: [String]?, updateFieldlist: [String]?, externalIdFieldName: String?,
        sobjectType: String?, maxBatchSize: Int?, clientKeyFieldName: String?, isStrict: Bool? = nil
    ) -> TargetReference {
        make(
            type,
            [
                "createFieldlist": createFieldlist.map { list($0) },
                "updateFieldlist": updateFieldlist.map { list($0) },
                "externalIdFieldName": externalIdFieldName.map { .string($0) },
                "sobjectType": sobjectType.map { .string($0) }, "maxBatchSize": maxBatchSize.map { .int(Int64($0)) },
                "clientKeyFieldName": clientKeyFieldName.map { .string($0) }, "strict": isStrict.map { .bool($0) },
            ])
    }

    /// Returns an object with the type and the keys that have a value.
    private static func make(_ type: String, _ keys: KeyValuePairs<String, JSONValue?>) -> TargetReference {
        var object: JSONObject = ["type": .string(type)]
        for (key, value) in keys { object[key] = value }
        return TargetReference(.object(object))
    }

    private static func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

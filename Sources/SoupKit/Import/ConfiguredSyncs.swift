// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupSync
internal import SoupCore

/// The syncs of a configuration, with which imported syncs are compared.
///
/// The mobile SDKs store a definition in another form than the configuration: with the class of the target, with the
/// defaults of its options, and with a completed query. If it is the same definition, the import stores the form of the
/// configuration, so that later edits of the configuration are detected.
struct ConfiguredSyncs: Sendable {
    let definitions: [SyncDefinition]
    let registry: PluginRegistry

    /// Returns the definition of the configuration; nil if it has no sync of that name, or a different one.
    func definition(of row: JSONText) -> SyncDefinition? {
        guard let imported = SyncsImport.definition(in: row), let name = imported.name,
            let configured = definitions.first(where: { $0.name == name })
        else { return nil }
        return isSame(imported, configured) ? configured : nil
    }

    func isSame(_ imported: SyncDefinition, _ configured: SyncDefinition) -> Bool {
        guard imported.type == configured.type, imported.soup == configured.soup,
            let target = plugin(of: imported), target == plugin(of: configured)
        else { return false }
        var (left, right) = (imported.options, configured.options)
        (left.fieldlist, right.fieldlist) = (left.fieldlist ?? [], right.fieldlist ?? [])
        return left == right && Self.isSame(imported.target.json, configured.target.json)
    }

    /// Returns the name of the plug-in that the registry makes for a definition.
    private func plugin(of definition: SyncDefinition) -> PluginName? {
        var problems: [ConfigurationProblem] = []
        switch definition.type {
        case .syncDown:
            return registry.downTarget(definition.target, problems: &problems).map { type(of: $0).name }
        case .syncUp:
            return registry.upTarget(definition.target, problems: &problems).map { type(of: $0).name }
        }
    }

    // MARK: Comparing targets

    /// The members that name the target, which is compared itself.
    private static let names = Set(TargetReference.classKeys + ["type"])
    /// The values that the mobile SDKs write for members that a configuration leaves out.
    private static let defaults: [String: [JSONValue]] = [
        "idFieldName": ["Id"], "modificationDateFieldName": ["LastModifiedDate"], "maxBatchSize": [2000, 200, 25],
        "countIdsPerSoql": [500], "coundIdsPerSoql": [500], "countIdsPerRetrieve": [2000],
    ]

    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.object(let left), .object(let right)):
            let keys = Set(left.members.map(\.key) + right.members.map(\.key)).subtracting(names)
            return keys.allSatisfy { isSame($0, of: left, and: right) }
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        default: return left == right
        }
    }

    private static func isSame(_ key: String, of left: JSONObject, and right: JSONObject) -> Bool {
        switch (present(left[key]), present(right[key])) {
        case (nil, nil): true
        case (let value?, nil), (nil, let value?): defaults[key]?.contains(value) ?? false
        case (.string(let text)?, .string(let other)?) where key == "query":
            text == other || query(text, of: left) == query(other, of: right)
        case (let value?, let other?): isSame(value, other)
        }
    }

    /// Returns the value; nil for null and for the empty text, which mean a missing member.
    private static func present(_ value: JSONValue?) -> JSONValue? { value == .null || value == "" ? nil : value }

    /// Returns the query with the fields that every sync needs; a text that is not SOQL is returned in quotes.
    private static func query(_ text: String, of target: JSONObject) -> String {
        let id = target["idFieldName"]?.stringValue ?? "Id"
        let date = target["modificationDateFieldName"]?.stringValue ?? "LastModifiedDate"
        guard let query = try? SOQLRewriter(text).completed(idField: id, modificationDateField: date),
            let tree = try? SOQLRewriter(query.text).query
        else { return "\"\(text)\"" }
        return "\(tree)"
    }
}

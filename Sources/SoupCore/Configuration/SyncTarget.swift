// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The properties of a target of either direction that checks need.
package struct SyncTarget {
    package var type: SyncType
    package var idField: String
    /// The name of the connection to the target's server; nil for the session of the app.
    package var connectionName: String?
    private var modificationDateField: String
    private var versionField: String?
    package var layout: RecordLayout?
    package var problems: (SyncOptions) -> [ConfigurationProblem]
    /// The fetched fields of a level; none for a sync up.
    package var fetchedFields: (Int) -> [FetchedFields]
    /// The sent fields of a level; none for a sync down.
    package var pushedFields: (Int, SyncOptions) -> [PushedFields]

    init(_ target: any SyncDownTarget) {
        (type, idField, layout) = (.syncDown, target.idField, target.layout)
        modificationDateField = target.modificationDateField
        versionField = target.versionField
        connectionName = target.connectionName
        problems = { target.problems(with: $0) }
        fetchedFields = { target.fetchedFields(level: $0) }
        pushedFields = { _, _ in [] }
    }
    init(_ target: any SyncUpTarget) {
        (type, idField, layout) = (.syncUp, target.idField, target.layout)
        modificationDateField = target.modificationDateField
        versionField = target.versionField
        connectionName = target.connectionName
        problems = { target.problems(with: $0) }
        fetchedFields = { _ in [] }
        pushedFields = { target.pushedFields(level: $0, with: $1) }
    }

    /// Creates the target of a sync; nil if that fails.
    package init?(_ sync: SyncDefinition, registry: PluginRegistry) {
        var problems: [ConfigurationProblem] = []
        switch sync.type {
        case .syncDown:
            guard let target = registry.downTarget(sync.target, problems: &problems) else { return nil }
            self.init(target)
        case .syncUp:
            guard let target = registry.upTarget(sync.target, problems: &problems) else { return nil }
            self.init(target)
        }
    }

    /// Returns the levels of the layout, or the soup of the sync as the only one.
    package func levels(for soup: SoupName) -> [RecordLayout.Level] {
        layout?.levels ?? [
            .init(
                soup: soup, idField: idField, modificationDateField: modificationDateField, versionField: versionField)
        ]
    }
}

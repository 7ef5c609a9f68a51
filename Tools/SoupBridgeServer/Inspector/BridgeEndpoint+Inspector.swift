// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupBridge

extension BridgeEndpoint {
    /// Returns an endpoint with the page of the inspector, for one store.
    ///
    /// - Parameter isWritable: whether the page can resolve conflicts, discard local changes and run syncs.
    package static func inspector(
        of store: BridgeStore, named name: BridgeStoreName, isWritable: Bool, secret: String
    ) -> BridgeEndpoint {
        let stores = OpenStores([name: store])
        let bridge = JavaScriptBridge(
            inspecting: stores, isWritable: isWritable,
            adding: [InspectorService(stores: stores, store: name, isWritable: isWritable)])
        return BridgeEndpoint(bridge, secret: secret, pages: PageFiles(InspectorPage.files))
    }
}

/// The files of the inspector's page.
enum InspectorPage {
    static let files: [String: [UInt8]] = [
        "bridge.js": PackageResources.bridge_js,
        "changes.js": PackageResources.changes_js,
        "compare.js": PackageResources.compare_js,
        "conflicts.js": PackageResources.conflicts_js,
        "dialogs.js": PackageResources.dialogs_js,
        "elements.js": PackageResources.elements_js,
        "entries.js": PackageResources.entries_js,
        "format.js": PackageResources.format_js,
        "index.html": PackageResources.index_html,
        "inspector.css": PackageResources.inspector_css,
        "inspector.js": PackageResources.inspector_js,
        "json.js": PackageResources.json_js,
        "panel.js": PackageResources.panel_js,
        "records.js": PackageResources.records_js,
        "soups.js": PackageResources.soups_js,
        "sql.js": PackageResources.sql_js,
        "syncs.js": PackageResources.syncs_js,
        "table.js": PackageResources.table_js,
    ]
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupKit

/// A kind of record that hangs on accounts, or on the records of the level above.
package struct TreeLevel: Sendable {
    package let object: String
    package let soup: SoupName
    /// The field by which people know a record.
    package let name: String
    /// The field that holds the parent's id.
    package let parent: String
    /// What the first records are called, each with a number behind it.
    package let title: String
    /// Their keys in the seed, without that number.
    package let key: String
    /// What their parents call them.
    let plural: String
    /// Whether the server deletes them with their parents, and lets none of them move.
    var isDetail = false
    /// The object, where the org does not have it by itself.
    var definition: String?

    /// The contacts of accounts.
    package static let contacts = TreeLevel(
        object: "Contact", soup: "contacts", name: "LastName", parent: "AccountId", title: "Ng", key: "c",
        plural: "Contacts")
    /// The details of accounts.
    package static let branches = detail("Branch", "Branches", "branches", of: "Account", parent: "Account__c")
    /// The details of contacts.
    package static let pets = detail("Pet", "Pets", "pets", of: "Contact", parent: "Contact__c")

    private static func detail(
        _ title: String, _ plural: String, _ soup: SoupName, of master: String, parent: String
    ) -> TreeLevel {
        let object = "\(title)__c"
        let definition = #"""
            "\#(object)": {"label": "\#(title)", "labelPlural": "\#(plural)", "fields": {
              "Name": {"type": "autonumber", "format": "N-{0000}"}, "Title__c": {"type": "string", "length": 80},
              "\#(parent)": {"type": "masterdetail", "referenceTo": ["\#(master)"],
                "childRelationshipName": "\#(plural)__r"}}}
            """#
        return TreeLevel(
            object: object, soup: soup, name: "Title__c", parent: parent, title: title,
            key: String(title.prefix(1).lowercased()), plural: "\(plural)__r", isDetail: true, definition: definition)
    }

    /// The `children` of a target: these levels, each below the one before.
    ///
    /// - Parameter isUp: whether it is a target of a sync up.
    static func family(_ levels: some Collection<TreeLevel>, isUp: Bool) -> String {
        guard let level = levels.first else { return "" }
        let below = levels.count == 1 ? "" : #", "children": \#(family(levels.dropFirst(), isUp: isUp))"#
        let fields =
            isUp
            ? #""createFieldlist": ["\#(level.name)"], "updateFieldlist": ["\#(level.name)"]"#
            : #""fieldlist": ["\#(level.name)", "\#(level.parent)"]"#
        return #"""
            {"sobjectType": "\#(level.object)", "soupName": "\#(level.soup)", "sobjectTypePlural": "\#(level.plural)",
             "parentIdFieldName": "\#(level.parent)",
             "relationshipType": "\#(level.isDetail ? "MASTER_DETAIL" : "LOOKUP")", \#(fields)\#(below)}
            """#
    }
}

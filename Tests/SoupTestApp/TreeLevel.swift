// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupKit

/// A level of a record tree below accounts, or below the records of another level.
package struct TreeLevel: Sendable {
    package let object: String
    package let soup: SoupName
    /// The name field of a record.
    package let name: String
    /// The field with the parent's ID.
    package let parent: String
    /// The name of the seed's records without its number.
    package let title: String
    /// The key of the seed's records without its number.
    package let key: String
    /// The name of the child relationship.
    let plural: String
    /// Whether the server deletes the records with their parents, and does not allow to change their parents.
    var isDetail = false
    /// The definition of the object; nil if the org has the object by default.
    var definition: String?

    /// The contacts of accounts.
    package static let contacts = TreeLevel(
        object: "Contact", soup: "contacts", name: "LastName", parent: "AccountId", title: "Ng", key: "c",
        plural: "Contacts")
    /// The details of accounts.
    package static let branches = detail(
        "Branch", plural: "Branches", soup: "branches", of: "Account", parent: "Account__c")
    /// The details of contacts.
    package static let pets = detail("Pet", plural: "Pets", soup: "pets", of: "Contact", parent: "Contact__c")

    private static func detail(
        _ title: String, plural: String, soup: SoupName, of master: String, parent: String
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

    /// Returns the `children` of a target: these levels, each below the previous one.
    ///
    /// - Parameter isUp: whether the target is for a sync up.
    static func children(_ levels: some Collection<TreeLevel>, isUp: Bool) -> String {
        guard let level = levels.first else { return "" }
        let below = levels.count == 1 ? "" : #", "children": \#(children(levels.dropFirst(), isUp: isUp))"#
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

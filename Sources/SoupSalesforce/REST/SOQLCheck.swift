// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// A check of the configured parts of targets' queries before the first request.
package enum SOQLCheck {
    /// Checks the name of an object or of a relationship: letters, digits and underscores after a letter.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`.
    package static func object(_ name: String, at path: String) throws {
        guard isName(name) else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" is not the name of an object", place: SoupError.Place(path: path),
                hint: "Use its API name, such as Account or Visit__c.")
        }
    }

    /// Returns whether a text consists of letters, digits and underscores, and begins with a letter.
    package static func isName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x5F }
    }

    /// Checks the name of a field, or a dotted path to a field of a related record.
    ///
    /// - Parameter isOwn: whether it must be a field of the record itself.
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`.
    package static func field(_ name: String, at path: String, isOwn: Bool = false) throws {
        let levels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard levels.allSatisfy({ isName(String(decoding: $0, as: UTF8.self)) }), !isOwn || levels.count == 1 else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" is not the name of a field", place: SoupError.Place(path: path),
                hint: "Use its API name, such as LastName or Key__c.")
        }
    }

    /// Checks the name of the field for client keys, which must not be one that the server or the sync sets.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`.
    package static func clientKey(_ name: String, besides names: RecordFieldNames, at path: String) throws {
        try field(name, at: path, isOwn: true)
        let taken = [names.id, names.modificationDate, "Id", "LastModifiedDate", "SystemModstamp", "attributes"]
        guard !taken.contains(where: { $0.lowercased() == name.lowercased() }) else {
            throw SoupError(
                .badConfiguration, "\"\(name)\" cannot contain client keys", place: SoupError.Place(path: path),
                hint: "Use a text field of the object that nothing else sets, such as ClientKey__c.")
        }
    }

    /// Checks an object, its fields to fetch and the names of the two fields that a sync needs, and records all
    /// problems.
    ///
    /// - Parameters:
    ///   - path: the place of the fields, such as `fieldlist`.
    ///   - parent: the prefix of the places of the other three, such as `infos[0].`; usually empty.
    package static func fields(
        _ fields: [String], of object: String, _ names: RecordFieldNames, at path: String, under parent: String = "",
        in faults: inout ConfigurationFaults
    ) {
        faults.check { try self.object(object, at: "\(parent)sobjectType") }
        let areNames = [
            faults.check { try field(names.id, at: "\(parent)idFieldName") },
            faults.check { try field(names.modificationDate, at: "\(parent)modificationDateFieldName") },
        ].allSatisfy { $0 != nil }
        // A problem of the other names must not be reported as a problem of the list.
        let list = areNames ? fields.completed(with: [names.id, names.modificationDate]) : fields + ["Id"]
        faults.check {
            try query(
                "select \(list.joined(separator: ", ")) from \(isName(object) ? object : "Account")", at: path)
        }
    }

    /// Checks a query for records that is built from configured parts.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`; its place is `path`, the part that causes the error.
    @discardableResult
    package static func query(_ soql: String, at path: String) throws -> SOQLRewriter {
        let query: SOQLRewriter
        do {
            query = try SOQLRewriter(soql)
        } catch {
            throw SoupError(
                .badConfiguration, "the resulting query cannot be parsed: \((error as? SoupError)?.message ?? "")",
                place: SoupError.Place(path: path), hint: "Check the resulting query: \(soql)", cause: error)
        }
        guard !query.query.isAggregate else {
            throw SoupError(
                .badConfiguration, "the resulting query counts or groups records, and its rows cannot be saved",
                place: SoupError.Place(path: path), hint: "Check the resulting query: \(soql)")
        }
        return query
    }
}

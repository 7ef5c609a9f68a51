// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The record transform `drop`: members are left out.
///
/// ```json
/// {"type": "drop", "fields": ["photo", "notes"]}
/// ```
///
/// They are not saved, and a sync up does not send them. Do not use it with a target that replaces whole records on the
/// server: they would lose the fields.
public struct DropTransform: RecordTransform {
    /// The names.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The members to leave out.
        public var fields: [String]

        /// Creates the configuration; ``DropTransform/init(configuration:)`` checks it.
        public init(fields: [String]) { self.fields = fields }
    }

    /// `drop`.
    public static let name: PluginName = "drop"

    /// The members that are left out.
    public let fields: [String]

    /// - Throws: ``SoupError`` with `badConfiguration` if there are no names, or for a path.
    public init(configuration: Configuration) throws {
        guard !configuration.fields.isEmpty else {
            throw SoupError(
                .badConfiguration, "no field is dropped", place: SoupError.Place(path: "fields"),
                hint: "Add names: {\"fields\": [\"photo\"]}.")
        }
        try FieldNames.check(configuration.fields, at: "fields")
        fields = configuration.fields
    }

    /// The transform itself: the members are left out in both directions.
    public var inverse: (any RecordTransform)? { self }

    /// Returns the record without the members.
    public func apply(to record: JSONText) throws -> JSONText { record.setting(fields.map { (name: $0, value: nil) }) }
}

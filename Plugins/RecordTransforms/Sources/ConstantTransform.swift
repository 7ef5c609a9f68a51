// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The record transform `constant`: a member gets the same value in every record.
///
/// ```json
/// {"type": "constant", "field": "source", "value": "crm"}
/// ```
///
/// A sync up does not send the member. Do not use the name of a field that the server's records have: its values would
/// be replaced.
public struct ConstantTransform: RecordTransform {
    /// The member and its value.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The name of the member.
        public var field: String
        /// Its value: any JSON.
        public var value: JSONValue

        /// Creates the configuration; ``ConstantTransform/init(configuration:)`` checks it.
        public init(field: String, value: JSONValue) {
            self.field = field
            self.value = value
        }
    }

    /// `constant`.
    public static let name: PluginName = "constant"

    private let field: String
    private let value: JSONText

    /// - Throws: ``SoupError`` with `badConfiguration` for an empty name, or for a path.
    public init(configuration: Configuration) throws {
        try FieldNames.check([configuration.field], at: "field")
        field = configuration.field
        value = try configuration.value.jsonText()
    }

    /// The member.
    public var fields: [String] { [field] }

    /// The transform that leaves out the member.
    public var inverse: (any RecordTransform)? { try? DropTransform(configuration: .init(fields: [field])) }

    /// Returns the record with the member.
    public func apply(to record: JSONText) throws -> JSONText { record.setting([(name: field, value: value)]) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The record transform `mask`: the values of members are hidden, so that they are not stored on the device.
///
/// ```json
/// {"type": "mask", "fields": ["iban"], "keepLast": 4}
/// ```
///
/// `DE89370400440532013000` becomes `***3000`. Masking cannot be undone, so a sync up cannot send these fields.
public struct MaskTransform: RecordTransform {
    /// The names, and the visible part.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The members to hide.
        public var fields: [String]
        /// The number of characters at the end of a text that stay visible; nil for none.
        ///
        /// A text that is not at least twice as long is hidden completely.
        public var keepLast: Int?

        /// Creates the configuration; ``MaskTransform/init(configuration:)`` checks it.
        public init(fields: [String], keepLast: Int? = nil) {
            self.fields = fields
            self.keepLast = keepLast
        }
    }

    /// `mask`.
    public static let name: PluginName = "mask"

    /// The members that are hidden.
    public let fields: [String]
    private let keepLast: Int

    /// - Throws: ``SoupError`` with `badConfiguration` if there are no names, or for a negative number.
    public init(configuration: Configuration) throws {
        guard !configuration.fields.isEmpty else {
            throw SoupError(
                .badConfiguration, "no field is masked", place: SoupError.Place(path: "fields"),
                hint: "Add names: {\"fields\": [\"iban\"]}.")
        }
        try FieldNames.check(configuration.fields, at: "fields")
        keepLast = configuration.keepLast ?? 0
        guard (0...1000).contains(keepLast) else {
            throw SoupError(
                .badConfiguration, "\(keepLast) is not a number of visible characters",
                place: SoupError.Place(path: "keepLast"), hint: "Use a number from 0 to 1000.")
        }
        fields = configuration.fields
    }

    /// Returns the record with hidden values; null stays null.
    public func apply(to record: JSONText) throws -> JSONText {
        let values = record.members?.filter { fields.contains($0.key) && $0.value != .null } ?? []
        return record.setting(values.map { (name: $0.key, value: .string(masked($0.value))) })
    }

    private func masked(_ value: JSONText) -> String {
        guard keepLast > 0, let text = value.string, text.count >= 2 * keepLast else { return "***" }
        return "***" + text.suffix(keepLast)
    }
}

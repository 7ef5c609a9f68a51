// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A page layout of an object, from which an app can build a form.
///
/// Members that are missing or have another type than expected are `nil`, `false`, 0 or empty. Therefore a layout of a
/// later server version can be read; ``raw`` contains all of it.
public struct ObjectLayout: Sendable, Hashable {
    /// The server's ID of the layout; `nil` for compact layouts, which have none.
    public var id: String?
    /// `Full` or `Compact`.
    public var layoutType: String?
    /// `View`, `Edit` or `Create`.
    public var mode: String?
    /// The parts of the page, from top to bottom.
    public var sections: [Section]
    /// The whole layout as the server sent it, together with the members of a soup entry.
    public var raw: JSONText

    /// A part of a page.
    public struct Section: Sendable, Hashable {
        /// The server's ID of the section.
        public var id: String?
        /// The text above the section.
        public var heading: String?
        /// Whether to show the heading.
        public var useHeading: Bool
        /// Whether the user can collapse the section.
        public var collapsible: Bool
        /// The number of items in a row.
        public var columns: Int
        /// The number of rows.
        public var rows: Int
        /// The rows, from top to bottom.
        public var layoutRows: [Row]
    }

    /// A row of items.
    public struct Row: Sendable, Hashable {
        /// The items, in reading direction.
        public var layoutItems: [Item]
    }

    /// A cell of a page, usually for one field.
    public struct Item: Sendable, Hashable {
        /// Whether the user can fill it in for a new record.
        public var editableForNew: Bool
        /// Whether the user can change it.
        public var editableForUpdate: Bool
        /// The text beside it.
        public var label: String?
        /// The content of the cell; each component has at least `apiName` and `componentType`.
        public var layoutComponents: [JSONValue]
        /// The look-up field whose record is shown.
        public var lookupIdApiName: String?
        /// Whether a value is required.
        public var required: Bool
        /// Whether lists can be sorted by it.
        public var sortable: Bool
    }

    /// Reads a layout.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a JSON object.
    public init(_ raw: JSONText) throws {
        let json = try Self.object(raw, "layout")
        id = json["id"]?.stringValue
        layoutType = json["layoutType"]?.stringValue
        mode = json["mode"]?.stringValue
        sections = Self.list(json["sections"]).map { Section($0) }
        self.raw = raw
    }

    static func object(_ raw: JSONText, _ noun: String) throws -> JSONValue {
        let json = raw.value
        guard json.objectValue != nil else { throw SoupError(.json, "the \(noun) is not a JSON object") }
        return json
    }

    fileprivate static func list(_ json: JSONValue?) -> [JSONValue] { json?.arrayValue ?? [] }
}

extension ObjectLayout.Section {
    fileprivate init(_ json: JSONValue) {
        id = json["id"]?.stringValue
        heading = json["heading"]?.stringValue
        useHeading = json["useHeading"]?.boolValue ?? false
        collapsible = json["collapsible"]?.boolValue ?? false
        columns = json["columns"]?.intValue.flatMap { Int(exactly: $0) } ?? 0
        rows = json["rows"]?.intValue.flatMap { Int(exactly: $0) } ?? 0
        layoutRows = ObjectLayout.list(json["layoutRows"]).map { row in
            ObjectLayout.Row(layoutItems: ObjectLayout.list(row["layoutItems"]).map { ObjectLayout.Item($0) })
        }
    }
}

extension ObjectLayout.Item {
    fileprivate init(_ json: JSONValue) {
        editableForNew = json["editableForNew"]?.boolValue ?? false
        editableForUpdate = json["editableForUpdate"]?.boolValue ?? false
        label = json["label"]?.stringValue
        layoutComponents = ObjectLayout.list(json["layoutComponents"])
        lookupIdApiName = json["lookupIdApiName"]?.stringValue
        required = json["required"]?.boolValue ?? false
        sortable = json["sortable"]?.boolValue ?? false
    }
}

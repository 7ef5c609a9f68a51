// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A page layout of an object, as an app builds a form from it.
///
/// What is missing, or of another type than expected, is nil, false, 0 or empty: a layout of a later version of the
/// server can be read, and ``raw`` has all of it.
public struct ObjectLayout: Sendable, Hashable {
    /// The server's id of the layout; nil for compact ones, which have none.
    public var id: String?
    /// `Full` or `Compact`.
    public var layoutType: String?
    /// `View`, `Edit` or `Create`.
    public var mode: String?
    /// The parts of the page, from top to bottom.
    public var sections: [Section]
    /// The whole layout as the server sent it, and the members of an entry of a soup.
    public var raw: JSONText

    /// A part of a page.
    public struct Section: Sendable, Hashable {
        /// The server's id of the section.
        public var id: String?
        /// The words above it.
        public var heading: String?
        /// Whether the heading is to be shown.
        public var useHeading: Bool
        /// Whether people can fold it.
        public var collapsible: Bool
        /// How many items stand side by side.
        public var columns: Int
        /// How many rows it has.
        public var rows: Int
        /// Its rows, from top to bottom.
        public var layoutRows: [Row]
    }

    /// Items that stand side by side.
    public struct Row: Sendable, Hashable {
        /// From the reader's first side to the other.
        public var layoutItems: [Item]
    }

    /// A place on a page, mostly for one field.
    public struct Item: Sendable, Hashable {
        /// Whether people may fill it in for a new record.
        public var editableForNew: Bool
        /// Whether people may change it.
        public var editableForUpdate: Bool
        /// The words beside it.
        public var label: String?
        /// What stands there; each with at least `apiName` and `componentType`.
        public var layoutComponents: [JSONValue]
        /// The field of a look-up whose record is shown.
        public var lookupIdApiName: String?
        /// Whether it must be filled in.
        public var required: Bool
        /// Whether lists can be sorted by it.
        public var sortable: Bool
    }

    /// Reads a layout.
    ///
    /// - Throws: ``SoupError`` with `json` when it is no JSON object.
    public init(_ raw: JSONText) throws {
        let json = try Self.object(raw, "layout")
        id = json["id"]?.stringValue
        layoutType = json["layoutType"]?.stringValue
        mode = json["mode"]?.stringValue
        sections = Self.list(json["sections"]).map { Section($0) }
        self.raw = raw
    }

    static func object(_ raw: JSONText, _ what: String) throws -> JSONValue {
        let json = raw.value
        guard json.objectValue != nil else { throw SoupError(.json, "the \(what) is not a JSON object") }
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

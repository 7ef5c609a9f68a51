// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Fetches a page layout of an object as one record, with an ID that identifies the layout.
///
/// The ID is `OBJECT-FORMFACTOR-LAYOUTTYPE-MODE-RECORDTYPEID`, with `null` for missing values. The Android SDK writes
/// `null`, the iOS SDK `(null)`. This target uses `null`, because it is the JSON spelling. Every run fetches the layout
/// again, because layouts have no modification date.
public struct LayoutSyncDownTarget: SyncDownTarget {
    /// The `type` of this target: `layout`.
    public static let name: PluginName = "layout"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("LayoutSyncDownTarget")
    /// The layout of accounts for a form, for `soup targets layout --sample`.
    public static let sample = try? JSONText(
        #"{"type": "layout", "sobjectType": "Account", "formFactor": "Medium", "layoutType": "Compact", "mode": "Edit"}"#
    )

    /// The target object of a `layout` sync.
    ///
    /// An empty text counts as missing.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// The object whose layout is fetched, such as `Account`.
        public var sobjectType: String
        /// `Large`, `Medium` or `Small`; nil for the server's choice.
        public var formFactor: String?
        /// `Full` or `Compact`; nil for the server's choice.
        public var layoutType: String?
        /// `View`, `Edit` or `Create`; nil for the server's choice.
        public var mode: String?
        /// The record type of the layout; nil for the user's default one.
        public var recordTypeId: String?
        /// The field for the generated ID.
        public var idFieldName: String

        /// Creates a configuration; the target checks the values.
        public init(
            sobjectType: String, formFactor: String? = nil, layoutType: String? = nil, mode: String? = nil,
            recordTypeId: String? = nil, idFieldName: String = "Id"
        ) {
            self.sobjectType = sobjectType
            self.formFactor = formFactor
            self.layoutType = layoutType
            self.mode = mode
            self.recordTypeId = recordTypeId
            self.idFieldName = idFieldName
        }

        private enum CodingKeys: String, CodingKey {
            case sobjectType
            case formFactor
            case layoutType
            case mode
            case recordTypeId
        }

        /// Reads `sobjectType`, which is required, the four optional keys, and `idFieldName`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                sobjectType: try container.decode(String.self, forKey: .sobjectType),
                formFactor: try container.decodeIfPresent(String.self, forKey: .formFactor),
                layoutType: try container.decodeIfPresent(String.self, forKey: .layoutType),
                mode: try container.decodeIfPresent(String.self, forKey: .mode),
                recordTypeId: try container.decodeIfPresent(String.self, forKey: .recordTypeId),
                idFieldName: try RecordFieldNames(from: decoder).id)
        }

        /// Records values that no server supports; case is ignored, as on the server.
        fileprivate func check(in faults: inout ConfigurationFaults) {
            let words = [
                ("formFactor", "form factor", formFactor, ["Large", "Medium", "Small"]),
                ("layoutType", "layout type", layoutType, ["Full", "Compact"]),
                ("mode", "mode", mode, ["View", "Edit", "Create"]),
            ]
            for (key, what, value, known) in words {
                if let value, !value.isEmpty { faults.check(value, isOneOf: known, at: key, what: what) }
            }
        }

        /// The parameters of the request in their order; nil for those that are omitted.
        fileprivate var parameters: [(name: String, value: String?)] {
            [("formFactor", formFactor), ("layoutType", layoutType), ("mode", mode), ("recordTypeId", recordTypeId)]
                .map { (name: $0.0, value: $0.1.flatMap { $0.isEmpty ? nil : $0 }) }
        }
    }

    /// The field for the generated ID: ``Configuration/idFieldName``.
    public let idField: String
    /// The ID of the only record.
    let id: String
    private let path: String
    private let type: String

    /// - Throws: ``SoupError`` with the place of an invalid value, such as an unknown `mode`; `ConfigurationError` for
    ///   several problems.
    public init(configuration: Configuration) throws {
        type = configuration.sobjectType
        idField = configuration.idFieldName
        var faults = ConfigurationFaults()
        faults.check { try SOQLCheck.object(configuration.sobjectType, at: "sobjectType") }
        configuration.check(in: &faults)
        try faults.finish()
        let parameters = configuration.parameters
        id = ([type] + parameters.map { $0.value ?? "null" }).joined(separator: "-")
        let query = parameters.compactMap { name, value in value.map { "\(name)=\(URLText.query($0))" } }
        path =
            "/ui-api/layout/\(URLText.segment(type))" + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
    }

    /// Fetches the layout, as one record on one page; the high-water mark is ignored.
    ///
    /// - Throws: ``SoupError``: `server`, `objectNotFound`, `network`, `json`; `cursorExpired` for any cursor.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        try await SalesforceClient(context).description(
            at: path, after: cursor, as: id, in: idField, of: "the layout of \(type)", list: "sections",
            name: ("objectApiName", type))
    }

    /// Returns the target's own ID, without a request: its record is never a ghost.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        Set(ids.filter { $0 == id })
    }
}

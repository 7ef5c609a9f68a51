// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The target object of all three targets.
public struct SObjectConfiguration: Decodable, Sendable, Hashable {
    /// The fields to send when a record is created; nil means those of the sync's options.
    public var createFieldlist: [String]?
    /// The fields to send when a record is updated; nil means those of the sync's options.
    public var updateFieldlist: [String]?
    /// The field by which the server finds an existing record: creations with a value in it become upserts.
    public var externalIdFieldName: String?
    /// The field for a random key of each created record, by which a creation without a response is looked up.
    public var clientKeyFieldName: String?
    /// The object of records without `attributes.type`.
    public var sobjectType: String?
    /// The maximum number of changes in a push; each target has its own maximum.
    public var maxBatchSize: Int?
    /// For collections: whether updates are sent in a way in which the server compares the modification dates.
    ///
    /// The other targets always do so.
    public var isStrict: Bool
    /// The field of an entry for the server's ID of a created record; never sent as a field.
    public var idFieldName: String
    /// The field whose value on the server LEAVE_IF_CHANGED compares with the entry's; never sent.
    public var modificationDateFieldName: String

    /// Creates a configuration; a target checks the names and limits the batch size to its own maximum.
    public init(
        createFieldlist: [String]? = nil, updateFieldlist: [String]? = nil, externalIdFieldName: String? = nil,
        sobjectType: String? = nil, maxBatchSize: Int? = nil, idFieldName: String = "Id",
        modificationDateFieldName: String = "LastModifiedDate", clientKeyFieldName: String? = nil,
        isStrict: Bool = false
    ) {
        self.createFieldlist = createFieldlist
        self.updateFieldlist = updateFieldlist
        self.externalIdFieldName = externalIdFieldName
        self.sobjectType = sobjectType
        self.maxBatchSize = maxBatchSize
        self.idFieldName = idFieldName
        self.modificationDateFieldName = modificationDateFieldName
        self.clientKeyFieldName = clientKeyFieldName
        self.isStrict = isStrict
    }

    private enum CodingKeys: String, CodingKey {
        case createFieldlist
        case updateFieldlist
        case externalIdFieldName
        case clientKeyFieldName
        case sobjectType
        case maxBatchSize
        case strict
    }

    /// Reads the keys that have the names of the properties and `strict`, all optional; an empty text counts as
    /// missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? {
            try container.decodeIfPresent(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
        }
        let names = try RecordFieldNames(from: decoder)
        self.init(
            createFieldlist: try container.decodeIfPresent([String].self, forKey: .createFieldlist),
            updateFieldlist: try container.decodeIfPresent([String].self, forKey: .updateFieldlist),
            externalIdFieldName: try text(.externalIdFieldName), sobjectType: try text(.sobjectType),
            maxBatchSize: try container.decodeIfPresent(Int.self, forKey: .maxBatchSize), idFieldName: names.id,
            modificationDateFieldName: names.modificationDate, clientKeyFieldName: try text(.clientKeyFieldName),
            isStrict: try container.decodeIfPresent(Bool.self, forKey: .strict) ?? false)
    }

    /// Returns the batch size, at least 1 and at most `limit`, which is also the default.
    func batchSize(limit: Int) -> Int { min(max(maxBatchSize ?? limit, 1), limit) }

    /// - Throws: ``SoupError`` with the place of an invalid name; `ConfigurationError` for several problems.
    func check() throws {
        var faults = ConfigurationFaults()
        if let sobjectType { faults.check { try SOQLCheck.object(sobjectType, at: "sobjectType") } }
        if let externalIdFieldName {
            faults.check { try SOQLCheck.field(externalIdFieldName, at: "externalIdFieldName", isOwn: true) }
        }
        if let clientKeyFieldName {
            faults.check { try SOQLCheck.clientKey(clientKeyFieldName, besides: names, at: "clientKeyFieldName") }
        }
        try faults.finish()
    }

    private var names: RecordFieldNames {
        RecordFieldNames(id: idFieldName, modificationDate: modificationDateFieldName)
    }

    func form(_ options: SyncOptions) -> RecordForm {
        RecordForm(
            names: names, externalIdField: externalIdFieldName, clientKeyField: clientKeyFieldName,
            createList: createFieldlist,
            updateList: updateFieldlist, options: options, objectType: sobjectType)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The checked key by which the service finds a creation that it received before.
struct ClientKey: Sendable {
    let header: HTTPField.Name?
    let field: String?
    /// Whether a creation with a known key does not create a second record.
    let isIdempotent: Bool
    /// The parameters of the look-up; nil if the service cannot find a record by its key.
    let query: ListQuery?

    /// - Throws: ``SoupError`` with the place of a fault.
    init(_ configuration: ClientKeyConfiguration, of service: Service) throws {
        var faults = ConfigurationFaults()
        func add(_ message: String, at key: String, hint: String) {
            faults.add(
                SoupError(.badConfiguration, message, place: SoupError.Place(path: "clientKey.\(key)"), hint: hint))
        }
        header = configuration.header.flatMap { HTTPField.Name($0) }
        field = configuration.field
        isIdempotent = configuration.isIdempotent ?? (configuration.header != nil)
        let query = configuration.parameters.map { parameters in
            faults.check { try ListQuery(parameters, known: [.clientKey], at: "clientKey.parameters") }
        }
        if configuration.header != nil, header == nil {
            add("the header is not valid", at: "header", hint: "Write a name such as Idempotency-Key.")
        }
        if configuration.header == nil, configuration.field == nil {
            add(
                "the key needs a header or a field", at: "header",
                hint: "Add \"header\", such as Idempotency-Key, or \"field\" with a field of the record.")
        }
        let own = [service.id.field, service.dateField, service.version?.field].compactMap { $0 }
        if let field, field.isEmpty || field.contains(".") || own.contains(field) {
            add("\"\(field)\" cannot contain the key", at: "field", hint: "Use another top-level field of the record.")
        }
        if configuration.header == nil, configuration.parameters == nil, configuration.isIdempotent != true {
            add(
                "the field alone has no effect", at: "field",
                hint: "Add \"parameters\" with which the list finds a record by the key, or \"isIdempotent\": true.")
        }
        if configuration.parameters != nil, configuration.field == nil {
            add("a look-up needs the field of the key", at: "parameters", hint: "Add \"field\".")
        }
        if let query, query?.contains(.clientKey) == false {
            add(
                "no parameter contains {clientKey}", at: "parameters",
                hint: "Add a parameter such as \"client_id\": \"{clientKey}\".")
        }
        self.query = query ?? nil
        try faults.finish()
    }

    /// Returns the key of a creation: the value of its field, or the random part of its temporary ID.
    ///
    /// - Returns: nil if it has neither.
    func value(of creation: RecordChange, idField: String) -> String? {
        if let own = ownValue(of: creation) { return own }
        guard let id = Self.text(idField, of: creation), LocalId.isLocal(id) else { return nil }
        let key = String(id.dropFirst(LocalId.prefix.count))
        return !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? key : nil
    }

    /// Returns the value of the key's field; nil if the record has none.
    func ownValue(of creation: RecordChange) -> String? {
        guard let own = field.flatMap({ Self.text($0, of: creation) }), !own.isEmpty, !LocalId.isLocal(own) else {
            return nil
        }
        return own
    }

    private static func text(_ name: String, of creation: RecordChange) -> String? {
        creation.record.members?.first { $0.key == name }?.value.value.idText
    }
}

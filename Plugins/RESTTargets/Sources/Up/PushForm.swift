// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checked description of pushes to a service.
struct PushForm: Sendable {
    let service: Service
    let create: Route
    let update: Route
    let delete: Route
    let fields: FieldSelection
    let wrap: String?
    /// Members of every body with a record, beside its fields.
    let constants: [FieldSelection.Member]
    let comparesVersions: Bool
    let statuses: StatusForm
    let clientKey: ClientKey?

    /// - Throws: ``SoupError`` with the place of a fault, or a `ConfigurationError` with several of them.
    init(_ configuration: PushConfiguration, of service: Service) throws {
        var faults = ConfigurationFaults()
        self.service = service
        let create = faults.check { try Route(.create, configuration.create, of: service) }
        let update = faults.check { try Route(.update, configuration.update, of: service) }
        let delete = faults.check { try Route(.delete, configuration.delete, of: service) }
        fields = FieldSelection(configuration, of: service, faults: &faults)
        wrap = configuration.wrap
        let constants = (configuration.constants ?? [:]).sorted { $0.key < $1.key }
        self.constants = try constants.map { ($0.key, try $0.value.jsonText()) }
        comparesVersions = configuration.ifMatch ?? false
        statuses = StatusForm(configuration.statuses, faults: &faults)
        let key = faults.check { try configuration.clientKey.map { try ClientKey($0, of: service) } }
        clientKey = key ?? nil
        let batches = [(create, "create"), (update, "update"), (delete, "delete")].filter { $0.0?.batch != nil }
        for (route, key) in batches where wrap != nil || route?.style == .jsonPatch {
            faults.add(
                SoupError(
                    .badConfiguration, "a batch cannot contain wrapped records or JSON patches",
                    place: SoupError.Place(path: "\(key).batch"), hint: "Remove \"batch\", \"wrap\" or \"jsonPatch\"."))
        }
        for key in ["update", "delete"] where comparesVersions && batches.contains(where: { $0.1 == key }) {
            faults.add(
                SoupError(
                    .badConfiguration, "a batch cannot compare versions", place: SoupError.Place(path: "\(key).batch"),
                    hint: "Remove \"batch\" or \"ifMatch\"."))
        }
        if comparesVersions, service.version == nil {
            faults.add(
                SoupError(
                    .badConfiguration, "\"ifMatch\" needs the version of a record",
                    place: SoupError.Place(path: "ifMatch"),
                    hint: "Add \"version\" with the path of the version or ETag in a record."))
        }
        if wrap?.isEmpty == true {
            faults.add(
                SoupError(
                    .badConfiguration, "\"wrap\" is empty", place: SoupError.Place(path: "wrap"),
                    hint: "Write the member that contains the record, or remove \"wrap\"."))
        }
        try faults.finish()
        guard let create, let update, let delete else { throw SoupError(.badConfiguration, "a route is missing") }
        (self.create, self.update, self.delete) = (create, update, delete)
    }

    /// The request for a kind of change.
    func route(for kind: RecordChange.Kind) -> Route {
        switch kind {
        case .create: create
        case .delete: delete
        case .update, .none: update
        }
    }

    /// Returns the value of `If-Match` for a change; nil if the service should not compare versions.
    func ifMatch(_ change: RecordChange, under mode: MergeMode) -> String? {
        guard comparesVersions, mode != .overwrite, change.kind != .create, let field = service.version?.field,
            let value = change.record.members?.first(where: { $0.key == field })?.value.value.idText,
            !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { return nil }
        return value.hasPrefix("\"") || value.hasPrefix("W/\"") ? value : "\"\(value)\""
    }
}

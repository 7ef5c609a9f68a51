// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The checked description of a service: its addresses, and the places of values in its records.
struct Service: Sendable {
    let connection: String?
    /// The scheme and host; nil for those of the connection or of the session.
    let origin: String?
    /// The path of the list, percent-encoded.
    let listPath: String
    /// The path of a record.
    let item: Template
    let headers: HTTPFields
    let records: JSONPath
    let record: JSONPath
    let id: FieldLocation
    let modified: FieldLocation?
    let dateFormat: RecordDateFormat
    let version: FieldLocation?
    let minInterval: Duration
    let gone: GoneForm
    let errorForm: ErrorForm

    /// Checks a configuration.
    ///
    /// - Throws: ``SoupError`` with the place of a fault, or a `ConfigurationError` with several of them.
    init(_ configuration: ServiceConfiguration) throws {
        var faults = ConfigurationFaults()
        let place = ServiceAddress.List(configuration, faults: &faults)
        connection = configuration.connection
        origin = place.origin
        listPath = place.path
        let template =
            configuration.item ?? Self.itemPath(of: place.path.isEmpty ? "/" : place.path)
        let item = faults.check {
            try ServiceAddress.template(template, known: [.id], at: "item", origin: place.origin)
        }
        if let item, !item.variables.contains(.id) {
            faults.add(
                SoupError(
                    .badConfiguration, "\"item\" does not contain {id}", place: SoupError.Place(path: "item"),
                    hint: "Write the path of a record, such as \"\(Self.itemPath(of: place.path))\"."))
        }
        self.item = try item ?? Template("/{id}", known: [.id], at: "item")
        headers = Self.headers(configuration.headers ?? [:], faults: &faults)
        records = JSONPath(configured: configuration.records ?? "")
        record = JSONPath(configured: configuration.record ?? "")
        id = configuration.id ?? FieldLocation("id")
        modified = configuration.modified
        version = configuration.version
        dateFormat = configuration.dateFormat ?? .iso8601
        for (location, key) in [(configuration.id, "id"), (modified, "modified"), (version, "version")] {
            if let location { faults.check { try location.check(at: key) } }
        }
        let interval = configuration.minInterval ?? 0
        if !(0...3600).contains(interval) {
            faults.add(
                SoupError(
                    .badConfiguration, "\"minInterval\" is not a number of seconds from 0 to 3600",
                    place: SoupError.Place(path: "minInterval"), hint: "Write the seconds between two requests."))
        }
        minInterval = (0...3600).contains(interval) ? .milliseconds(Int64((interval * 1000).rounded())) : .zero
        gone = GoneForm(configuration.gone, faults: &faults)
        errorForm = ErrorForm(configuration.error)
        Self.checkOtherNames(configuration, faults: &faults)
        try faults.finish()
    }

    /// Returns the path of a record below a list; a slash at the end of the list is kept.
    private static func itemPath(of list: String) -> String {
        let escaped = list.replacing("{", with: "{{").replacing("}", with: "}}")
        return escaped.hasSuffix("/") ? "\(escaped){id}/" : "\(escaped)/{id}"
    }

    private static func headers(_ texts: [String: String], faults: inout ConfigurationFaults) -> HTTPFields {
        var fields: HTTPFields = [.accept: "application/json"]
        for (name, value) in texts.sorted(by: { $0.key < $1.key }) {
            guard let field = HTTPField.Name(name), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                faults.add(
                    SoupError(
                        .badConfiguration, "\"\(name.excerpt(100))\" is not a header with a valid value",
                        place: SoupError.Place(path: "headers.\(name)"),
                        hint: "Use a name of letters, digits and hyphens, and a value on one line."))
                continue
            }
            fields[field] = value
        }
        return fields
    }

    private static func checkOtherNames(_ configuration: ServiceConfiguration, faults: inout ConfigurationFaults) {
        let names = [
            (configuration.idFieldName, "idFieldName", "id"),
            (configuration.modificationDateFieldName, "modificationDateFieldName", "modified"),
        ]
        for (value, key, own) in names where value != nil {
            faults.add(
                SoupError(
                    .badConfiguration, "this target has no key \"\(key)\"", place: SoupError.Place(path: key),
                    hint: "Write \"\(own)\" instead."))
        }
    }
}

extension Service {
    /// The member of an entry with the date; the default of all targets if the service has none.
    var dateField: String { modified?.field ?? "LastModifiedDate" }

    /// A warning about credentials in the headers of the configuration.
    var problems: [ConfigurationProblem] {
        headers.filter { SecretName.isProbable($0.name.rawName) }.map { SecretName.problem(at: "headers.\($0.name)") }
    }
}

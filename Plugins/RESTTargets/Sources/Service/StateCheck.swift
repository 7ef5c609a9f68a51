// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A check that the records of a response have dates and versions where the configuration expects them.
///
/// Without them, a conflict is not noticed and the change of another user is overwritten. A value of null is that of a
/// record that was never changed.
struct StateCheck {
    private let service: Service
    private var dates = Found()
    private var versions = Found()

    private struct Found {
        var isSome = false
        var isMissing = false

        mutating func note(_ isReadable: Bool) { if isReadable { isSome = true } else { isMissing = true } }

        var isNone: Bool { isMissing && !isSome }
    }

    init(_ service: Service) { self.service = service }

    /// Adds the values of a record; nil for those that it lacks.
    mutating func note(date: JSONText?, version: JSONText?) {
        dates.note(date.map { $0 == .null || service.dateFormat.date(in: $0) != nil } ?? false)
        versions.note(version.map { $0 == .null || $0.value.idText != nil } ?? false)
    }

    /// Adds a record.
    mutating func note(_ record: JSONText) {
        note(
            date: service.modified.flatMap { record.part(at: $0.path) },
            version: service.version.flatMap { record.part(at: $0.path) })
    }

    /// - Throws: ``SoupError`` with `json` if records were added, and none of them has a date or none a version.
    func finish() throws {
        if let modified = service.modified, dates.isNone {
            throw SoupError(
                .json, "no record has a date in the form \(service.dateFormat.name) at \"\(modified.path)\"",
                hint: "Check \"modified\", the path of the date in a record, and \"dateFormat\".")
        }
        if let version = service.version, versions.isNone {
            throw SoupError(
                .json, "no record has a version at \"\(version.path)\"",
                hint: "Check \"version\", the path of the version in a record.")
        }
    }
}

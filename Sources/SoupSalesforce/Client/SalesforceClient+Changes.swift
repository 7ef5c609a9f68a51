// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SalesforceClient {
    /// Sends a query for changed records, by the field that finds all changes of its object.
    ///
    /// The few objects without `SystemModstamp` are queried by their modification date, with a second request.
    ///
    /// - Parameter send: sends the query with the field that it gets.
    /// - Throws: the errors of `send`.
    package func byDateOfAnyChange<T>(
        _ send: (_ dateField: RecordFieldNames.DateField) async throws -> T
    ) async throws -> T {
        do {
            return try await send(.anyChange)
        } catch let error as SoupError where error.isAbout(missingField: RecordFieldNames.systemDate) {
            context.log("an object has no \(RecordFieldNames.systemDate), its changes are queried by their date")
            return try await send(.modification)
        }
    }
}

extension SoupError {
    /// Returns whether the server refused a query because its object does not have a field.
    fileprivate func isAbout(missingField field: String) -> Bool {
        code == .server && message.contains("INVALID_FIELD") && message.contains("'\(field)'")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SoupEntry {
    /// Returns the reason why the stored text is not a JSON object.
    ///
    /// Possible causes are a damaged disk, and another program that wrote to the file. `stored.bytes` contains the
    /// unchanged bytes.
    ///
    /// - Returns: an error with `entryDamaged` that names the soup and the entry; nil for an intact entry.
    public func damage(in soup: SoupName) -> SoupError? {
        do throws(JSONError) {
            try requireObject()
            return nil
        } catch {
            return SoupError(
                .entryDamaged, "entry \(id) of soup \"\(soup)\" is damaged: \(error)",
                hint: "Print its bytes with `soup retrieve \(soup) \(id) --raw`, or read them with "
                    + "retrieveUnchecked(_:from:). Then write the entry whole, with \"_soupEntryId\": \(id), by "
                    + "`soup upsert \(soup)`, or remove it with `soup delete \(soup) \(id) --now`.",
                cause: error)
        }
    }
}

extension SoupEntry {
    /// Checks an entry for a backend that implements ``StoreWriter/restore(_:in:)``.
    ///
    /// - Parameter index: the position of the entry in the call.
    /// - Throws: ``SoupError`` with `json` and the position if the ID is not positive, or if the text is not a JSON
    ///   object.
    public func requireRestorable(at index: Int) throws {
        let place = SoupError.Place(path: "[\(index)]")
        guard id > 0 else {
            throw SoupError(.json, "\(EntryField.entryId) must be greater than 0, not \(id)", place: place)
        }
        do throws(JSONError) {
            try requireObject()
        } catch {
            throw SoupError(.json, "the text of entry \(id) is not valid: \(error)", place: place, cause: error)
        }
    }

    private func requireObject() throws(JSONError) {
        let field = try JSONScanner.validate(stored.bytes.span)
        guard field.kind == .object else { throw JSONError(.notAnObject, at: field.start) }
    }
}

extension SoupEntry: Identifiable {}

extension SoupError.Code {
    /// The stored text of an entry is not a JSON object.
    public static let entryDamaged: Self = "entryDamaged"
}

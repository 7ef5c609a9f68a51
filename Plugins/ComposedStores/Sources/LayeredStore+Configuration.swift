// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension LayeredStore {
    /// The options of the backend, next to `"type": "layered"` in `userstore.json`.
    ///
    /// ```json
    /// "backend": {
    ///   "type": "layered", "front": {"type": "memory"}, "back": {"type": "sqlite"}, "soups": ["contacts"]
    /// }
    /// ```
    public struct Configuration: Decodable, Sendable {
        /// The fast store.
        public var front: StoreReference
        /// The store that contains all data.
        public var back: StoreReference
        /// The soups whose entries the front store has too; nil for all soups except those of the syncs.
        public var soups: [SoupName]?

        /// Creates a configuration in code; it is checked when the store is opened.
        public init(
            front: StoreReference = StoreReference(type: "memory"), back: StoreReference, soups: [SoupName]? = nil
        ) {
            self.front = front
            self.back = back
            self.soups = soups
        }

        private enum CodingKeys: String, CodingKey {
            case front, back, soups
        }

        /// Reads `back`, which is required, `front` and `soups`.
        ///
        /// - Throws: `SoupError` with the place of a soup that cannot be in the front store, or of an empty list.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                front: try container.decodeIfPresent(StoreReference.self, forKey: .front)
                    ?? StoreReference(type: "memory"),
                back: try container.decode(StoreReference.self, forKey: .back),
                soups: try container.decodeIfPresent([String].self, forKey: .soups)?.map { SoupName($0) })
            try Self.check(soups)
            for (index, soup) in (soups ?? []).enumerated() { decoder.warnIfUnknown(soup, at: "soups[\(index)]") }
        }

        /// - Throws: ``SoupError`` with `badConfiguration`.
        static func check(_ soups: [SoupName]?) throws {
            guard let soups else { return }
            guard !soups.isEmpty else {
                throw SoupError.fault(
                    "no soup is in the front store", at: "soups",
                    hint: "Name at least one soup, or remove \"soups\" to keep all soups in the front store.")
            }
            for (index, soup) in soups.enumerated() {
                if SoupName.reserved.contains(soup) {
                    throw SoupError.fault(
                        "the soup \"\(soup)\" contains data of the syncs, which is only in the back store",
                        at: "soups[\(index)]", hint: "Remove the name.")
                }
                guard soup.isValid else {
                    throw SoupError.fault(
                        "\"\(soup)\" cannot be the name of a soup", at: "soups[\(index)]",
                        hint: "Use a name that is not empty and contains no :, {, } or control characters.")
                }
            }
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The settings of all syncs of the folder, from `org.json`.
struct OrgSyncSettings {
    /// The way to find deletions for sync downs whose targets support it and do not choose it; nil for the default.
    var deletes: DeleteMode?
    /// The percentage of the API's requests of 24 hours that syncs may use; nil for the default.
    var requestLimitPercent: Percentage?

    /// The keys of the settings.
    enum CodingKeys: String, CodingKey, CaseIterable { case deletes, requestLimitPercent }

    /// A number from 1 to 100.
    struct Percentage: Decodable {
        let share: Double

        init(from decoder: any Decoder) throws {
            let number = try decoder.singleValueContainer().decode(Double.self)
            guard (1...100).contains(number) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "the number must be from 1 to 100"))
            }
            share = number / 100
        }
    }

    init() {}

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - file: the content of `org.json`; nil if there is none.
    ///   - problems: receives the problems of values; the default is used instead of such a value.
    init(_ file: ConfigurationDocument?, problems: inout [ConfigurationProblem]) {
        self.init()
        deletes = Self.value(.deletes, of: file, problems: &problems)
        requestLimitPercent = Self.value(.requestLimitPercent, of: file, problems: &problems)
    }

    private static func value<T: Decodable>(
        _ key: CodingKeys, of file: ConfigurationDocument?, problems: inout [ConfigurationProblem]
    ) -> T? {
        guard let file, let json = file.json?[key.rawValue], !json.isNull else { return nil }
        var found: [ConfigurationProblem] = []
        let value = ConfigurationDecoder.decodeWhole(T.self, from: json, at: [.key(key.rawValue)], problems: &found)
        problems += file.located(found)
        return found.isEmpty ? value : nil
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A conflict resolver that always returns the resolution of its configuration.
struct FakeResolver: ConflictResolver {
    struct Configuration: Decodable, Sendable {
        /// `local`, `remote`, `unresolved`, `error`, or the JSON of a merged record.
        var answer: String
    }

    static let name: PluginName = "fakeResolver"
    let answer: String

    init(configuration: Configuration) { answer = configuration.answer }

    func resolve(_ conflict: RecordConflict) throws -> ConflictResolution {
        switch answer {
        case "local": return .local
        case "remote": return .remote
        case "unresolved": return .unresolved
        case "error": throw SoupError("broken", "no answer today")
        default: return .merged(try JSONText(answer))
        }
    }
}

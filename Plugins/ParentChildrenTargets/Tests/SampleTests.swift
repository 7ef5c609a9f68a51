// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParentChildrenTargets
import SoupCore
import Testing

@Suite struct ParentChildrenSampleTests {
    /// The samples of the types are the targets of `sample.json`, which the README shows.
    @Test func samplesAreTaken() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        let syncs = try JSONValue(parsing: Array(Data(contentsOf: file)))["syncs"]?.arrayValue ?? []
        let registry = try PluginRegistry([ParentChildrenTargetsModule()])
        var problems: [ConfigurationProblem] = []
        for sync in syncs {
            let reference = TargetReference(sync["target"] ?? .null)
            if sync["syncType"] == "syncDown" {
                _ = registry.downTarget(reference, problems: &problems)
            } else {
                _ = registry.upTarget(reference, problems: &problems)
            }
        }
        #expect(problems.map(\.description) == [])
        #expect(Set(syncs.map { $0["target"] ?? .null }) == Set(registry.targets.map { $0.sample?.value ?? .null }))
    }
}

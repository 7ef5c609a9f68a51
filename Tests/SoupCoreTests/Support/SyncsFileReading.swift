// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A suite that reads files of syncs, and parts of which these files consist.
protocol SyncsFileReading {}

extension SyncsFileReading {
    func read(
        _ text: String, soups: SyncsConfig.Soups = .registered(SyncsConfigTests.store), registry: PluginRegistry? = nil
    ) throws -> (SyncsConfig, [String]) {
        let (config, problems) = SyncsConfig.read(
            Array(text.utf8), file: "usersyncs.json", registry: try registry ?? TestTargets.registry(), soups: soups)
        return (config, problems.map { String($0.description.dropFirst("usersyncs.json:".count)) })
    }

    /// Returns a file with one sync that consists of these members.
    func sync(_ parts: String...) -> String { "{\"syncs\": [{\(parts.joined(separator: ", "))}]}" }
    var name: String { #""syncName": "s""# }
    var down: String { #""syncType": "syncDown""# }
    var up: String { #""syncType": "syncUp""# }
    var soup: String { #""soupName": "contacts""# }
    var query: String { #""target": {"type": "soql", "query": "SELECT Id FROM Contact"}"# }
    var options: String { #""options": {"mergeMode": "LEAVE_IF_CHANGED", "fieldlist": ["Id"]}"# }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct ScaffoldNameTests {
    @Test(arguments: [
        ("Weather", PluginKind.target, "WeatherTarget", "WeatherTargets", "weather"),
        ("weather", .target, "WeatherTarget", "WeatherTargets", "weather"),
        ("WeatherTarget", .target, "WeatherTarget", "WeatherTargets", "weather"),
        ("WeatherTargets", .target, "WeatherTarget", "WeatherTargets", "weather"),
        ("Target", .target, "TargetTarget", "TargetTargets", "target"),
        ("LongerText", .resolver, "LongerTextResolver", "LongerTextResolvers", "longerText"),
        ("AuditStore", .backend, "AuditStore", "AuditStores", "audit"),
        ("CSV", .target, "CSVTarget", "CSVTargets", "csv"),
        ("HTTPCache", .backend, "HTTPCacheStore", "HTTPCacheStores", "httpCache"),
        ("R2", .target, "R2Target", "R2Targets", "r2"),
    ])
    func `Names are made from one`(text: String, kind: PluginKind, type: String, module: String, plugin: String) throws
    {
        let name = try ScaffoldName(text, kind: kind)
        #expect((name.type, name.module, name.plugin) == (type, module, plugin))
    }

    @Test(arguments: ["", "2fast", "my-target", "a b", "Größe", "../x", String(repeating: "a", count: 51)])
    func `A text that is no name of a type is an error`(text: String) {
        let error = #expect(throws: SoupError.self) { try ScaffoldName(text, kind: .target) }
        #expect(error?.code == "badArgument" && error?.hint != nil)
    }
}

#endif

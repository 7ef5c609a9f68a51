// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A check of the samples of a module of targets: a file, and the output of `soup targets NAME --sample`.
///
/// ```swift
/// try SampleSuite(module: SOQLTargetsModule(), file: Array(Data(contentsOf: sampleURL))).check()
/// ```
public struct SampleSuite: Sendable {
    private let module: any PluginModule
    private let file: [UInt8]

    /// - Parameter file: a `usersyncs.json` with one sync for each target of the module.
    public init(module: any PluginModule, file: [UInt8]) {
        self.module = module
        self.file = file
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() throws { try ConformanceError.check("\(type(of: module))", violations()) }

    /// Returns the violations: targets of the file that the module rejects, and samples that differ from the file's.
    public func violations() throws -> [String] {
        let syncs = try JSONValue(parsing: file)["syncs"]?.arrayValue ?? []
        let registry = try PluginRegistry([module])
        var problems: [ConfigurationProblem] = []
        for sync in syncs {
            let reference = TargetReference(sync["target"] ?? .null)
            if sync["syncType"] == "syncDown" {
                _ = registry.downTarget(reference, problems: &problems)
            } else {
                _ = registry.upTarget(reference, problems: &problems)
            }
        }
        var report = SuiteReport()
        for problem in problems {
            report.note("the module rejects a target of the file, \(problem): correct it")
        }
        let shown = Set(syncs.map { $0["target"] ?? .null })
        for target in registry.targets {
            let sample = target.sample?.value ?? .null
            report.require(
                shown.contains(sample),
                "the file does not contain the sample of \(target.name): add a sync with the target \(sample)")
        }
        let samples = Set(registry.targets.map { $0.sample?.value ?? .null })
        for target in shown.subtracting(samples) {
            report.note("a target of the file is not the sample of a type, \(target): use the sample of its type")
        }
        return report.violations
    }
}

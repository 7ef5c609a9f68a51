// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The rules that hold for the name and the configuration of every plug-in of a sync.
enum ConfigurationChecks {
    typealias Make<Target> = (TargetReference, inout [ConfigurationProblem]) -> Target?

    /// Checks the registration and the sample, and that invalid configurations are rejected with a place.
    ///
    /// - Parameter kind: the kind of plug-in, for the sentences of the report.
    /// - Returns: the plug-in that `configuration` defines; nil if there is none, and the report then contains the
    ///   reason.
    static func run<Target: SyncPlugin>(
        _ type: Target.Type, kind: String = "target", _ configuration: String, bad: [String],
        make: Make<any SyncPlugin>, report: inout SuiteReport
    ) -> Target? {
        report.require(
            !Target.name.rawValue.isEmpty,
            "the name of the \(kind) is empty: set the static name that configurations use as \"type\"")
        report.require(
            !Target.aliases.contains(Target.name),
            "the aliases contain the name \"\(Target.name)\": remove it from the aliases")
        if let sample = Target.sample {
            let problems = self.problems(of: sample.value, Target.self, make)
            report.require(
                problems.isEmpty,
                "the static sample is rejected, \(problems.map(\.description)): use an object that the \(kind) accepts"
            )
        }
        for text in bad { checkRejection(of: text, by: Target.self, make: make, &report) }
        checkOtherValues(for: Target.self, kind: kind, make: make, &report)
        guard let json = try? JSONValue(parsing: configuration), json.objectValue != nil else {
            report.note(
                "the configuration of the suite is not a JSON object, \(configuration): use the object of the \(kind) as in a "
                    + "usersyncs.json")
            return nil
        }
        for name in [Target.name] + Target.aliases {
            let problems = self.problems(of: json, named: name, Target.self, make)
            report.require(
                problems.isEmpty,
                "the configuration of the suite is rejected with the type \"\(name)\", "
                    + "\(problems.map(\.description)): accept it under the name and every alias of the \(kind)")
        }
        var problems: [ConfigurationProblem] = []
        return make(TargetReference(named(json, Target.name)), &problems) as? Target
    }

    private static func checkOtherValues<Target: SyncPlugin>(
        for type: Target.Type, kind: String, make: Make<any SyncPlugin>, _ report: inout SuiteReport
    ) {
        for text in ["[]", "7", #""text""#] {
            guard let json = try? JSONValue(parsing: text) else { continue }
            report.require(
                !problems(ofWhole: json, type, make).isEmpty,
                "the \(kind) object \(text) is accepted, but it is not a JSON object: decode the configuration from a keyed "
                    + "container")
        }
    }

    private static func checkRejection<Target: SyncPlugin>(
        of text: String, by type: Target.Type, make: Make<any SyncPlugin>, _ report: inout SuiteReport
    ) {
        guard let json = try? JSONValue(parsing: text) else {
            return report.note(
                "a bad configuration of the suite is not JSON, \(text): use a JSON object with invalid content"
            )
        }
        let problems = self.problems(of: json, type, make)
        report.require(
            !problems.isEmpty,
            "the bad configuration \(text) is accepted: throw SoupError badConfiguration from init(configuration:)")
        for problem in problems {
            report.require(!problem.message.isEmpty, "the error for \(text) has no message: add one")
            report.require(
                problem.place.path?.isEmpty == false,
                "the error for \(text) has no place, \(problem): add one, such as SoupError.Place(path: \"key\")")
        }
    }

    private static func problems<Target: SyncPlugin>(
        of json: JSONValue, named name: PluginName = Target.name, _ type: Target.Type, _ make: Make<any SyncPlugin>
    ) -> [ConfigurationProblem] {
        problems(ofWhole: named(json, name), type, make)
    }

    private static func problems<Target: SyncPlugin>(
        ofWhole json: JSONValue, _ type: Target.Type, _ make: Make<any SyncPlugin>
    ) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        let target = make(TargetReference(json), &problems)
        if problems.isEmpty, !(target is Target) {
            problems.append(
                ConfigurationProblem(
                    at: SoupError.Place(path: "target"), "the result is \(target.map { "\($0)" } ?? "nothing")"))
        }
        return problems
    }

    /// Returns the same object with another name; keys that name a class are removed.
    private static func named(_ json: JSONValue, _ name: PluginName) -> JSONValue {
        guard var object = json.objectValue else { return json }
        for key in TargetReference.classKeys { object[key] = nil }
        object["type"] = .string(name.rawValue)
        return .object(object)
    }
}

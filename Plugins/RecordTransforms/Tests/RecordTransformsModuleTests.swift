// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordTransforms
import SoupCore
import SoupTesting
import Testing

/// The transforms as configurations name them.
@Suite struct RecordTransformsModuleTests {
    private static let record = try? JSONText(
        #"{"Id":"1","Name":"Ann \u00e9","iban":"DE89370400440532013000","n":1.50,"none":null}"#)

    private func transform(_ json: JSONValue) throws -> (made: (any RecordTransform)?, problems: [String]) {
        let registry = try PluginRegistry([RecordTransformsModule()])
        var problems: [ConfigurationProblem] = []
        let made = registry.recordTransform(TransformReference(json), at: [.key("t")], problems: &problems)
        return (made, problems.map { "\($0)" })
    }

    @Test func `The module registers the transforms`() throws {
        let registry = try PluginRegistry([RecordTransformsModule()])
        #expect(registry.recordTransforms.map(\.name) == ["constant", "drop", "mask", "rename"])
        #expect(registry.recordTransforms.allSatisfy { $0.kind == .transform })
    }

    @Test(
        arguments: [
            (
                ["type": "rename", "fields": ["Name": "title", "missing": "m"]],
                #"{"Id":"1","title":"Ann \u00e9","iban":"DE89370400440532013000","n":1.50,"none":null}"#
            ),
            (["type": "drop", "fields": ["iban", "missing", "none"]], #"{"Id":"1","Name":"Ann \u00e9","n":1.50}"#),
            (
                ["type": "mask", "fields": ["iban", "n", "none", "missing"], "keepLast": 4],
                #"{"Id":"1","Name":"Ann \u00e9","iban":"***3000","n":"***","none":null}"#
            ),
            (
                ["type": "mask", "fields": ["Name", "iban"], "keepLast": 12],
                #"{"Id":"1","Name":"***","iban":"***","n":1.50,"none":null}"#
            ),
            (
                ["type": "constant", "field": "source", "value": ["a": 1]],
                #"{"Id":"1","Name":"Ann \u00e9","iban":"DE89370400440532013000","n":1.50,"none":null,"source":{"a":1}}"#
            ),
            (
                ["type": "constant", "field": "n", "value": nil],
                #"{"Id":"1","Name":"Ann \u00e9","iban":"DE89370400440532013000","n":null,"none":null}"#
            ),
            (["type": "rename", "fields": ["Name": "iban"]], #"{"Id":"1","iban":"Ann \u00e9","n":1.50,"none":null}"#),
        ] as [(JSONValue, String)])
    func `Records are changed, and other members keep their text`(json: JSONValue, expected: String) throws {
        let record = try #require(Self.record)
        let made = try #require(try transform(json).made)
        #expect("\(try made.apply(to: record))" == expected)
        let empty = try JSONText("{}")
        let isConstant = json["type"] == "constant"
        #expect(try made.apply(to: empty).members?.isEmpty == !isConstant)
    }

    @Test func `What can be undone is undone`() throws {
        let record = try #require(Self.record)
        let rename = try #require(try transform(["type": "rename", "fields": ["Name": "a", "n": "b"]]).made)
        #expect("\(try #require(rename.inverse).apply(to: rename.apply(to: record)))" == "\(record)")
        #expect(rename.inverse?.inverse?.fields == ["Name", "a", "b", "n"])
        let constant = try #require(try transform(["type": "constant", "field": "c", "value": 1]).made)
        #expect("\(try #require(constant.inverse).apply(to: constant.apply(to: record)))" == "\(record)")
        let drop = try #require(try transform(["type": "drop", "fields": ["iban"]]).made)
        #expect("\(try #require(drop.inverse).apply(to: record))" == "\(try drop.apply(to: record))")
        #expect(try transform(["type": "mask", "fields": ["iban"]]).made?.inverse == nil)
    }

    @Test(
        arguments: [
            (["type": "rename"], "t.fields"), (["type": "rename", "fields": [:]], "t.fields: no field is renamed"),
            (["type": "rename", "fields": ["a": "c", "b": "c"]], "two fields get the same name"),
            (["type": "rename", "fields": ["a": "b", "b": "c"]], "a new name is also the name of a renamed field"),
            (["type": "drop", "fields": []], "t.fields: no field is dropped"),
            (["type": "drop", "fields": 1], "t.fields"),
            (["type": "mask", "fields": []], "no field is masked"),
            (["type": "rename", "fields": ["a": "__local__"]], #"t.fields: "__local__" is a name of SoupKit's own"#),
            // A value that is not found would be stored as it is.
            (["type": "mask", "fields": ["a.b"]], #"t.fields: "a.b" is not the name of a member"#),
            (["type": "drop", "fields": ["a", "a.b"]], #"t.fields: "a.b" is not the name of a member"#),
            (["type": "rename", "fields": ["a": "b.c"]], #"t.fields: "b.c" is not the name of a member"#),
            (
                ["type": "mask", "fields": ["a"], "keepLast": -1],
                "t.keepLast: -1 is not a number of visible characters"
            ),
            (["type": "constant", "field": "", "value": 1], #"t.field: "" is not the name of a member"#),
            (["type": "constant", "field": "a"], "t.value"), ("renam", "Did you mean \"rename\"?"),
            ([:], "the record transform has no name"), (["type": "drop", "fields": ["a"], "field": "b"], "field"),
        ] as [(JSONValue, String)])
    func `Faults are reported with their places`(json: JSONValue, text: String) throws {
        let problems = try transform(json).problems
        #expect(problems.contains { $0.contains(text) }, "\(problems)")
    }

    /// The version of Mongoose.
    @Test func `Names of servers may begin with underscores`() throws {
        let drop = try #require(try transform(["type": "drop", "fields": ["__v"]]).made)
        #expect(try drop.apply(to: JSONText(#"{"a":1,"__v":0}"#)).description == #"{"a":1}"#)
    }

    @Test func `Each transform passes the conformance suite`() throws {
        let records = [try #require(Self.record), try JSONText(#"{"Id":"2"}"#)]
        try RecordTransformSuite(
            RenameTransform.self, configuration: #"{"fields":{"Name":"title","n":"number"}}"#,
            badConfigurations: [#"{"fields":{}}"#], records: records
        ).check()
        try RecordTransformSuite(
            DropTransform.self, configuration: #"{"fields":["iban","none"]}"#,
            badConfigurations: [#"{"fields":[]}"#], records: records
        ).check()
        try RecordTransformSuite(
            MaskTransform.self, configuration: #"{"fields":["iban"],"keepLast":4}"#,
            badConfigurations: [#"{"fields":["a"],"keepLast":-1}"#], records: records
        ).check()
        try RecordTransformSuite(
            ConstantTransform.self, configuration: #"{"field":"source","value":"server"}"#,
            badConfigurations: [#"{"field":"a"}"#], records: records
        ).check()
    }

    @Test func `The sample is valid`() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        let registry = try PluginRegistry([RecordTransformsModule()])
        let syncs = try JSONValue(parsing: Array(Data(contentsOf: url)))["syncs"]?.arrayValue ?? []
        var problems: [ConfigurationProblem] = []
        let made = syncs.flatMap { $0["options"]?["transforms"]?.arrayValue ?? [] }.compactMap {
            registry.recordTransform(TransformReference($0), problems: &problems)
        }
        #expect(made.count == 5)
        #expect(problems == [])
    }
}

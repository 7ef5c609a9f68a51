// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Plug-ins that are compiled alone, and loaded by the program.
@Suite struct PluginLibraryTests {
    private static let sync = #"""
        {"syncs": [{"syncName": "weather", "syncType": "syncDown", "soupName": "contacts",
          "target": {"type": "weather", "city": "Jena"}, "options": {"mergeMode": "OVERWRITE"}}]}
        """#

    private func folder(_ org: String? = nil) throws -> WorkFolder {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": Self.sync])
        if let org { try folder.write(org, to: "org.json") }
        return folder
    }

    @Test func `A sync runs with a plug-in that the option or org.json names`() async throws {
        let library = try await CompiledPlugin.library
        for isOption in [true, false] {
            // A file that is named twice is loaded once.
            let folder = try folder(isOption ? nil : #"{"plugins": ["weather.plugin", "./weather.plugin"]}"#)
            try library.write(to: folder.url.appending(path: "weather.plugin"))
            let options = ["--config", folder.path] + (isOption ? ["--plugin", folder.path + "/weather.plugin"] : [])
            let validated = try await SoupTool.run(["validate"] + options)
            #expect(validated.status == 0, "\(validated)")
            let synced = try await SoupTool.run(["sync", "weather"] + options)
            #expect(synced.status == 0, "\(synced)")
            let rows = try await SoupTool.run(
                ["query", "select {contacts:Id}, {contacts:LastName} from {contacts}", "--json"] + options)
            #expect(rows.output == [#"["w1","Sun in Jena"]"#])
        }
    }

    /// An option of a command may also be written before the command.
    @Test func `The targets and errors of a plug-in are shown`() async throws {
        let folder = try folder()
        try await CompiledPlugin.library.write(to: folder.url.appending(path: "weather.plugin"))
        let listed = try await SoupTool.run("--plugin", folder.path + "/weather.plugin", "targets", "weather", "--json")
        let target: JSONValue = ["kind": "down", "name": "weather", "aliases": [], "type": "Weather.WeatherTarget"]
        #expect(try listed.json == [target])
        try folder.write(Self.sync.replacing("Jena", with: "Atlantis"), to: "usersyncs.json")
        let failed = try await SoupTool.run(
            "sync", "weather", "--config", folder.path, "--plugin", folder.path + "/weather.plugin", "--json")
        #expect(failed.status == 1)
        #expect(try failed.jsonErrors.map { $0["code"] } == ["noSuchCity"])
    }

    /// Without the plug-in, its name is unknown.
    @Test func `A plug-in is loaded only if it is named`() async throws {
        let folder = try folder()
        let refused = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(refused.status == 1)
        #expect(try refused.jsonErrors.contains { $0["message"]?.stringValue?.contains(#""weather""#) == true })
    }

    /// Each of them ends with an error, and not with a signal.
    @Test func `A library that is not a plug-in of this program is refused`() async throws {
        let library = try await CompiledPlugin.library
        func edited(_ text: String, _ replacement: String) throws -> Data {
            let range = try #require(library.firstRange(of: Data(text.utf8)), "\(text)")
            return library.replacing(range, with: Data(replacement.utf8))
        }
        let mark = String(describing: PluginInterface.mark)
        let otherHash = mark.replacing(/[0-9a-f]{16}/, with: "00000000deadbeef")
        let cases: [(Data, says: String)] = [
            (Data("not a library".utf8), "not a dynamic library"), (Data(), "not a dynamic library"),
            (library.prefix(60), "incomplete"), (library.prefix(library.count / 2), "incomplete"),
            (try edited("interface=1/", "interface=2/"), "version 2 of the plug-in interface"),
            (try edited("interface=1/", "interfaze=1/"), "not a plug-in of SoupKit"),
            (try edited("compiler=6.", "compiler=5."), "built with Swift 5."),
            (try edited(mark, otherHash), "other source code of SoupKit"),
            (try edited("soupkit_plugin", "soupkit_plugon"), "does not export the function soupkit_plugin"),
            (try edited("$s8SoupCore11PluginEntryC", "$s8SoupCore11PlugonEntryC"), "the system cannot load it"),
            (library + Data("soupkit-plugin-interface-copy;".utf8), "its own copy of SoupCore"),
        ]
        for (bytes, says) in cases {
            let folder = try folder()
            try bytes.write(to: folder.url.appending(path: "weather.plugin"))
            let refused = try await SoupTool.run(
                "validate", "--config", folder.path, "--plugin", folder.path + "/weather.plugin", "--json")
            #expect(refused.status == 1, "\(says): \(refused)")
            let errors = try refused.jsonErrors
            #expect(errors.map { $0["code"] } == ["badPlugin"], "\(says)")
            #expect(errors.allSatisfy { $0["message"]?.stringValue?.contains(says) == true }, "\(says): \(errors)")
            #expect(errors.allSatisfy { $0["hint"]?.stringValue?.isEmpty == false }, "\(says)")
        }
    }

    @Test(arguments: [
        ("throws", "badPlugin", "cannot be registered: NoForecast()"),
        ("clash", "registry", #"the sync-down target name "soql""#),
        ("nothing", "badPlugin", "does not return an entry"), ("other", "badPlugin", "does not return an entry"),
        ("layout", "badPlugin", "other sizes"), ("2", "registry", "written for version 2"),
        ("0", "registry", "written for version 0"),
    ])
    func `A module that cannot be registered is refused`(fault: String, code: String, says: String) async throws {
        let folder = try folder(#"{"plugins": ["weather.plugin"]}"#)
        try await CompiledPlugin.library.write(to: folder.url.appending(path: "weather.plugin"))
        let refused = try await SoupTool.run(
            "validate", "--config", folder.path, "--json", environment: ["PLUGIN_FAULT": fault])
        #expect(refused.status == 1)
        let errors = try refused.jsonErrors
        #expect(errors.map { $0["code"]?.stringValue } == [code])
        let message = errors.first?["message"]?.stringValue ?? ""
        #expect(message.contains(says) && message.contains("/weather.plugin"), "\(message)")
    }

    @Test func `The same plug-in in two files is refused`() async throws {
        let folder = try folder(#"{"plugins": ["one.plugin", "two.plugin"]}"#)
        for name in ["one", "two"] {
            try await CompiledPlugin.library.write(to: folder.url.appending(path: "\(name).plugin"))
        }
        let refused = try await SoupTool.run("validate", "--config", folder.path, "--json")
        #expect(refused.status == 1)
        let message = try refused.jsonErrors.first?["message"]?.stringValue ?? ""
        #expect(
            message.contains("two.plugin") && message.contains("one.plugin")
                && message.contains(#"the sync-down target name "weather""#), "\(message)")
    }

    @Test func `A faulty plug-in of org.json has a place in the file`() async throws {
        let cases: [(String, says: String)] = [
            (#"["missing.plugin"]"#, "there is no such file"), (#"["."]"#, "it is not a file"),
            (#""weather.plugin""#, "expected an array"), (#"[""]"#, "the path is empty"), ("[5]", "expected a string"),
            (#"["public.plugin"]"#, "every user of this computer can change the file"),
        ]
        for (list, says) in cases {
            let folder = try folder("{\n  \"plugins\": \(list)\n}")
            try Data().write(to: folder.url.appending(path: "public.plugin"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666], ofItemAtPath: folder.path + "/public.plugin")
            let refused = try await SoupTool.run("validate", "--config", folder.path)
            #expect(refused.status == 1, "\(list)")
            let text = refused.errors.joined(separator: "\n")
            #expect(text.contains("org.json:2:") && text.contains(says), "\(list): \(text)")
        }
    }
}

extension Data {
    /// Returns the data with a range replaced by as many bytes, so that the file stays a library.
    fileprivate func replacing(_ range: Range<Index>, with bytes: Data) -> Data {
        var data = self
        data.replaceSubrange(range, with: bytes)
        return data
    }
}

#endif

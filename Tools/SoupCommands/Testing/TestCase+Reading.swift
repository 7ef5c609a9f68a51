// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

extension TestCase {
    /// Reads a test file, and finds all faults in it.
    ///
    /// - Parameters:
    ///   - file: the path of the file, as messages show it.
    ///   - configuration: the syncs and the soups that the file can name.
    /// - Returns: the test; if there are problems, do not run it. Nil if the file is not a JSON object.
    static func read(
        _ bytes: [UInt8], file: String, testing configuration: TestedConfiguration
    ) -> (test: TestCase?, problems: [ConfigurationProblem]) {
        let document = ConfigurationDocument(bytes, file: file)
        var reader = TestReader(configuration)
        var test: TestCase?
        if let json = document.json, let root = reader.object(json, at: [], keys: ["name", "org", "steps", "expect"]) {
            let fileName = file.split(separator: "/").last.map(String.init) ?? file
            let name = reader.text("name", of: root, at: []) ?? String(fileName.dropLast(suffix.count))
            var found = TestCase(name: name, document: document, file: file)
            found.readOrg(root["org"], with: &reader)
            found.readSteps(root, with: &reader)
            test = found
        }
        return (test, document.located(reader.problems))
    }

    private mutating func readOrg(_ value: JSONValue?, with reader: inout TestReader) {
        let path: TestReader.Path = [.key("org")]
        guard let value, let org = reader.object(value, at: path, keys: ["seed", "rows"]) else { return }
        switch org["seed"] {
        case nil: break
        case .object(let object)?: seed = .document(.object(object))
        case .string(let name)? where !name.isEmpty: seed = .named(name)
        case let other?:
            reader.note(
                path + [.key("seed")], "expected a seed, found \(other.noun)",
                hint: "Write the name of a built-in seed, the path of a seed file, or a seed document.")
        }
        guard let given = org["rows"], let objects = reader.object(given, at: path + [.key("rows")]) else { return }
        for (object, list) in objects.members {
            let place = path + [.key("rows"), .key(object)]
            self.objects.append((object, place))
            for (value, path) in reader.array(list, at: place) {
                guard var fields = reader.object(value, at: path) else { continue }
                let name = reader.name(in: fields, "Id", at: path)
                fields["Id"] = nil
                rows.append(GivenRow(object: object, name: name, fields: fields, path: path))
            }
        }
    }

    private mutating func readSteps(_ root: JSONObject, with reader: inout TestReader) {
        if let value = root["steps"] {
            for (index, (value, path)) in reader.array(value, at: [.key("steps")]).enumerated() {
                guard let action = reader.action(value, at: path) else { continue }
                steps.append(TestStep(path: path, number: index + 1, action: action))
            }
        }
        if let value = root["expect"] {
            let rows = reader.expectation(value, at: [.key("expect")])
            steps.append(TestStep(path: [.key("expect")], number: nil, action: .expect(rows)))
        }
        let isExpecting = steps.contains { step in
            switch step.action {
            case .expect, .sync, .cleanGhosts: true
            case .create, .edit, .delete, .org: false
            }
        }
        if !isExpecting, reader.problems.isEmpty {
            reader.note(
                [], "the test expects nothing",
                hint: "Add \"steps\" with a sync, and \"expect\" with the expected rows.")
        }
    }
}

#endif

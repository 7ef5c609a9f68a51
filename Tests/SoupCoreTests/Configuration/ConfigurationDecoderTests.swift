// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct ConfigurationDecoderTests {
    enum Shape: String, Decodable, CaseIterable {
        case round
        case square
    }

    /// A closed set whose members cannot be listed, because it is not `CaseIterable`.
    enum Finish: String, Decodable {
        case matt
    }

    struct Lid: Decodable, Equatable {
        var name: String
        var thickness: Int8
    }

    struct Box: Decodable, Equatable {
        var label: String
        var shape: Shape
        var sizes: [Int]
        var lid: Lid
        var spare: Lid?
        var isOpen: Bool
        var weight: Double
        var extra: JSONValue
    }

    private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> (T?, [String]) {
        var problems: [ConfigurationProblem] = []
        let value = ConfigurationDecoder.decode(
            type, from: try JSONValue(parsing: text), at: [.key("boxes"), .index(2)], problems: &problems)
        return (value, problems.map(\.description))
    }

    @Test func `A valid value is decoded`() throws {
        let (box, problems) = try decode(
            Box.self,
            #"""
            {"label": "a", "shape": "square", "sizes": [1, 2.0], "lid": {"name": "l", "thickness": -128},
             "spare": null, "isOpen": true, "weight": 3, "extra": {"z": [null], "a": 1}, "whatever": 1}
            """#)
        #expect(problems == [])
        #expect(
            box
                == Box(
                    label: "a", shape: .square, sizes: [1, 2], lid: Lid(name: "l", thickness: -128), spare: nil,
                    isOpen: true, weight: 3, extra: ["z": [nil], "a": 1]))
    }

    @Test func `Every fault is found in one run`() throws {
        let (box, problems) = try decode(
            Box.self,
            #"""
            {"label": 5, "shape": "squared", "sizes": [1, "two", 3.5], "lid": {"thickness": 128}, "spare": [],
             "isOpen": "yes", "extra": null}
            """#)
        #expect(box == nil)
        #expect(
            problems == [
                #"boxes[2].label: expected a string, found the number 5. Write a string here."#,
                #"boxes[2].shape: "squared" is not one of the values allowed here. Known: round, square. "#
                    + #"Did you mean "square"?"#,
                #"boxes[2].sizes[1]: expected a whole number, found the string "two". Write a whole number here."#,
                #"boxes[2].sizes[2]: expected a whole number, found the number 3.5. "#
                    + "Use a number without a fraction, and within the range.",
                #"boxes[2].lid.name: "name" is missing. Add "name" with a string."#,
                #"boxes[2].lid.thickness: expected a whole number from -128 to 127, found the number 128. "#
                    + "Use a number without a fraction, and within the range.",
                #"boxes[2].spare: expected an object, found an array. Write an object here."#,
                #"boxes[2].isOpen: expected true or false, found the string "yes". Write true or false here."#,
                #"boxes[2].weight: "weight" is missing. Add "weight" with a number."#,
            ])
    }

    @Test func `A missing object is reported as one fault`() throws {
        let (_, problems) = try decode(
            Box.self,
            #"{"label": "", "shape": "round", "sizes": [], "isOpen": false, "weight": 0, "extra": 1, "lid": null}"#)
        #expect(problems == [#"boxes[2].lid: "lid" is null. Write an object here."#])
    }

    @Test func `A root of the wrong type is reported as one fault`() throws {
        let (_, problems) = try decode(Box.self, "[]")
        #expect(problems == ["boxes[2]: expected an object, found an array. Write an object here."])
    }

    @Test func `Messages name closed sets and arrays`() throws {
        struct Shelf: Decodable {
            var shapes: [Shape]
            var names: [String]
            var boxes: [Lid]
        }
        let (_, problems) = try decode(Shelf.self, #"{"shapes": [7]}"#)
        #expect(
            problems == [
                "boxes[2].shapes[0]: expected one of round, square, found the number 7. "
                    + "Write one of round, square here.",
                #"boxes[2].names: "names" is missing. Add "names" with an array of strings."#,
                #"boxes[2].boxes: "boxes" is missing. Add "boxes" with an array of objects."#,
            ])
    }

    @Test func `Elements after a faulty one are still checked`() throws {
        let (_, problems) = try decode([Finish].self, #"["glossy", "matt", 3]"#)
        #expect(problems.count == 2)
        #expect(problems.first?.hasPrefix("boxes[2][0]: ") == true)
        #expect(problems.last == "boxes[2][2]: expected a string, found the number 3. Write a string here.")
    }

    @Test func `Failed attempts of a type with two forms are not reported`() throws {
        struct Either: Decodable {
            var text: String
            enum Keys: CodingKey { case value }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                if let number = try? container.decode(Int.self, forKey: .value) {
                    text = "number \(number)"
                } else {
                    text = try container.decode(String.self, forKey: .value)
                }
            }
        }
        let (either, problems) = try decode(Either.self, #"{"value": "x"}"#)
        #expect(either?.text == "x")
        #expect(problems == [])
    }

    @Test func `Errors thrown by a type get the place of its value`() throws {
        struct Even: Decodable {
            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer().decode(Int.self)
                guard value.isMultiple(of: 2) else {
                    throw SoupError(.badConfiguration, "\(value) is odd", hint: "Add one.")
                }
            }
        }
        struct Corrupt: Decodable {
            enum Keys: CodingKey { case a }
            init(from decoder: any Decoder) throws {
                throw DecodingError.dataCorruptedError(
                    forKey: Keys.a, in: try decoder.container(keyedBy: Keys.self), debugDescription: "spoilt")
            }
        }
        let (_, odd) = try decode([String: Even].self, #"{"a": 2, "b": 3}"#)
        #expect(odd == ["boxes[2].b: 3 is odd. Add one."])
        let (_, corrupt) = try decode(Corrupt.self, "{}")
        #expect(corrupt == ["boxes[2].a: spoilt"])
    }

    @Test func `An error caused by an earlier fault is not reported`() throws {
        struct Address: Decodable {
            enum Keys: CodingKey { case url }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                guard try container.decodeIfPresent(String.self, forKey: .url) != nil else {
                    throw SoupError(.badConfiguration, "there must be a URL")
                }
            }
        }
        #expect(try decode(Address.self, "{}").1 == ["boxes[2]: there must be a URL"])
        #expect(
            try decode(Address.self, #"{"url": 5}"#).1 == [
                "boxes[2].url: expected a string, found the number 5. Write a string here."
            ])
    }

    @Test func `Only misspelled keys are warned about`() throws {
        struct Target: Decodable {
            var query: String
            var maxBatchSize: Int?
        }
        let (target, problems) = try decode(
            Target.self,
            #"{"type": "soql", "query": "q", "maxBatchsize": 5, "querry": "", "iOSImpl": "X", "comment": "hello"}"#)
        #expect(target?.query == "q")
        #expect(
            problems == [
                #"boxes[2].maxBatchsize: warning: the key "maxBatchsize" is not known and is ignored. "#
                    + #"Did you mean "maxBatchSize"?"#
            ])
    }

    @Test func `A dictionary accepts every key`() throws {
        let (values, problems) = try decode([String: Int].self, #"{"one": 1, "two": 2}"#)
        #expect(values == ["one": 1, "two": 2])
        #expect(problems == [])
    }

    @Test func `Faults in nested containers have their places`() throws {
        struct Nested: Decodable {
            enum Keys: CodingKey { case outer, list, x }
            init(from decoder: any Decoder) throws {
                let root = try decoder.container(keyedBy: Keys.self)
                let outer = try root.nestedContainer(keyedBy: Keys.self, forKey: .outer)
                _ = try outer.decode(Int.self, forKey: .x)
                var list = try root.nestedUnkeyedContainer(forKey: .list)
                _ = try list.decode(String.self)
                _ = try list.decode(String.self)
            }
        }
        let (_, first) = try decode(Nested.self, #"{"outer": {"x": "1"}, "list": ["a"]}"#)
        #expect(
            first == [
                #"boxes[2].outer.x: expected a whole number, found the string "1". Write a whole number here."#,
                "boxes[2].list: the array has only 1 elements. Add the elements that are missing.",
            ])
        let (_, second) = try decode(Nested.self, "{}")
        #expect(
            second == [
                #"boxes[2].outer: "outer" is missing. Add "outer" with an object."#,
                #"boxes[2].list: "list" is missing. Add "list" with an array."#,
            ])
    }
}

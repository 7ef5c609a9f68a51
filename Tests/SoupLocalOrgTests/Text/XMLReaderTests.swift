// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTesting
import Testing

@testable import SoupLocalOrg

@Suite struct XMLReaderTests {
    @Test func `Elements have text and elements`() throws {
        let text = """
            \u{FEFF}<?xml version="1.0"?><!-- job --><jobInfo xmlns="http://x/y" a='&lt;"'>
            <op:state>Cl&amp;o&#x73;ed<![CDATA[ <&> ]]><!-- - --></op:state><empty/><n xsi:nil="true"></n></jobInfo > \n
            """
        let root = try XMLElement.parse(Array(text.utf8))
        #expect(root.name == "jobInfo")
        #expect(root.elements.map(\.name) == ["state", "empty", "n"])
        #expect(root.first("state")?.text == "Cl&osed <&> ")
        #expect(root.first("n")?.isNil == true && root.first("empty")?.isNil == false)
        #expect(root.descendant("empty")?.text == "" && root.descendant("no") == nil)
    }

    @Test(arguments: [
        "", "a", "<a>", "<a></b>", "<a/><b/>", "<a", "<a b/>", "<a b=c/>", "<a b='<'/>", "<a b='1'c='2'/>",
        "<a>&no;</a>",
        "<a>&lt</a>", "<a>&#0;</a>", "<a>&#x110000;</a>", "<a>&#+65;</a>", "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<1/>", "<a>\u{0}</a>", "<a><![CDATA[ </a>", "<a/>text", "<a></a",
        String(repeating: "<a>", count: 70) + String(repeating: "</a>", count: 70),
    ])
    func `Malformed input is rejected`(_ text: String) {
        #expect(throws: XMLReader.Failure.self) { try XMLElement.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        ("<a>\n  <b>&no;</b>\n</a>", "in line 2, column 6: &no; is not known"),
        ("<a>\n<b c='x\n<'/></a>", "in line 3, column 1: the value of an attribute contains <"),
        ("<!DOCTYPE a [<!ENTITY b '&c;&c;'>]><a>&b;</a>", "in line 1, column 3: a document type is not allowed"),
        (
            "<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
            "in line 3, column 3: a document type is not allowed"
        ),
        ("<a>é\u{1}</a>", "in line 1, column 6: a control character"),
        ("<a><!ENTITY b 'c'></a>", "in line 1, column 5: a name is missing"),
    ])
    func `A failure contains its position`(_ text: String, _ expected: String) {
        let failure = #expect(throws: XMLReader.Failure.self) { try XMLElement.parse(Array(text.utf8)) }
        #expect(failure?.description == expected)
    }

    /// Texts that crash Foundation's parser.
    @Test func `Instructions without content are ignored`() throws {
        #expect(try XMLElement.parse(Array("<?pi?><a><?pi?>x<?pi ?></a><?pi?>".utf8)).text == "x")
    }

    @Test func `Long text is read completely`() throws {
        let text = String(repeating: "a&amp;é\r\n", count: 20_000)
        let root = try XMLElement.parse(Array("<a b='\(text)'>\(text)</a>".utf8))
        #expect(root.text.utf8.elementsEqual(String(repeating: "a&é\r\n", count: 20_000).utf8))
    }

    @Test func `Mutated texts are read or rejected`() {
        let whole = Array("<?xml version='1.0'?><a b=\"c\"><d>&amp;&#65;</d><![CDATA[x]]><!--y--><e f='g'/></a>".utf8)
        var random = SeededRandom(seed: 3)
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                default: bytes.insert(whole.randomElement(using: &random) ?? 0, at: place)
                }
            }
            if let element = try? XMLElement.parse(bytes) { #expect(!element.name.isEmpty) }
        }
    }

    @Test func `Written text is read`() throws {
        var writer = XMLWriter()
        writer.element("a", attributes: " xmlns=\"x\"") { writer in
            writer.element("b", "<&>\"'\r\n\u{1}é")
            writer.element("c", "")
        }
        let root = try XMLElement.parse(writer.bytes)
        #expect(root.first("b")?.text.unicodeScalars.elementsEqual("<&>\"'\r\n?é".unicodeScalars) == true)
    }
}

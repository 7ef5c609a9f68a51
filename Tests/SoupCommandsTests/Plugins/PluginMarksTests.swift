// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import SoupCore
import Testing

@testable import SoupCommands

@Suite struct PluginMarksTests {
    private static let host = PluginMarks(
        Data("soupkit-plugin-interface=3/0123456789abcdef;soupkit-plugin-compiler=6.3;".utf8))

    @Test(
        arguments: [
            ("interface=3/0123456789abcdef;", "compiler=6.3;", nil),
            ("", "compiler=6.3;", "it is not a plug-in of SoupKit"),
            ("interface=3/0123456789abcdef;", "", "it is not a plug-in of SoupKit"),
            ("interface=2/0123456789abcdef;", "compiler=6.3;", "it was built for version 2 of the plug-in interface"),
            // Of two differences, the version is the one to report: another version has other source code, too.
            ("interface=4/ffff;", "compiler=6.4;", "it was built for version 4 of the plug-in interface"),
            ("interface=3/ffff;", "compiler=6.4;", "it was built with Swift 6.4"),
            ("interface=3/ffff;", "compiler=6.3;", "it was built with other source code of SoupKit"),
            ("interface=3;", "compiler=6.3;", "it was built with other source code of SoupKit"),
            // A mark that the end of the file cuts off, and one that is too long.
            ("compiler=6.3;", "interface=3/0123456789abcd", "it is not a plug-in of SoupKit"),
            ("interface=3/\(String(repeating: "0", count: 100));", "compiler=6.3;", "it is not a plug-in of SoupKit"),
        ] as [(String, String, String?)])
    func `The marks of a file decide`(first: String, second: String, fault: String?) {
        let text = [first, second].filter { !$0.isEmpty }.map { "\0soupkit-plugin-\($0)" }.joined(separator: "\u{1}")
        let marks = PluginMarks(Data("ELF".utf8) + Data(text.utf8))
        let found = marks.fault(for: Self.host)?.message
        #expect(found == fault || fault.map { found?.hasPrefix($0) == true } == true, "\(found ?? "nil")")
    }

    @Test func `This program has marks`() {
        let own = PluginMarks.own
        #expect(own.interface?.hasPrefix("\(PluginInterface.version)/") == true)
        // For a new compiler, add it to PluginInterface.compiler: plug-ins of later versions would not differ.
        #expect(own.compiler?.contains("later") == false)
        #expect(own.fault(for: own) == nil)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTesting
import Testing
import UIAPITargets

@Suite struct UIAPITargetsModuleTests {
    @Test func `The samples are accepted`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        try SampleSuite(module: UIAPITargetsModule(), file: Array(Data(contentsOf: file))).check()
    }
}

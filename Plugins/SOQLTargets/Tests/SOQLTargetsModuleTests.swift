// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SOQLTargets
import SoupTesting
import Testing

@Suite struct SOQLTargetsModuleTests {
    @Test func `The samples are accepted`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        try SampleSuite(module: SOQLTargetsModule(), file: Array(Data(contentsOf: file))).check()
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import RESTTargets
import SoupTesting
import Testing

@Suite struct RESTTargetsModuleTests {
    @Test func `The samples are accepted`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        try SampleSuite(module: RESTTargetsModule(), file: Array(Data(contentsOf: file))).check()
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import JSONFiles
import SoupCommands

@main
enum Notes {
    static func main() async { await CommandLineTool.main(adding: [JSONFilesModule()]) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCommands

/// The executable `soup`.
@main
enum Soup {
    static func main() async { await CommandLineTool.main() }
}

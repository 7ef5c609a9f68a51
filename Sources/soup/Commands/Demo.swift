// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SoupKit

/// The command `soup demo`.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The whole story.", subcommands: [])
}

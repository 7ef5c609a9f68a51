// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// The progress bar of a running sync: a single line that is redrawn; nothing if standard output is not a terminal.
struct ProgressLine {
    private let console: Console
    private var isDrawn = false
    private var progress = SyncProgress()

    init(_ console: Console) { self.console = console }

    mutating func show(_ state: SyncState) {
        guard console.isTerminal else { return }
        progress.update(with: state, at: SystemClock().now)
        let filled = max(0, min(100, state.progress)) * 30 / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        let size = state.totalSize < 0 ? "" : " of \(state.totalSize)"
        let rate = progress.recordsPerSecond.map { ", \(Int(min($0, 1e9).rounded())) a second" } ?? ""
        let rest = progress.remaining.map { ", \(($0.milliseconds + 999) / 1000) s left" } ?? ""
        Console.write(
            "\r\u{1B}[2K\(state.name ?? "sync \(state.id)")  \(bar) \(state.progress) %\(size)\(rate)\(rest)",
            to: .standardOutput)
        isDrawn = true
    }

    mutating func clear() {
        guard isDrawn else { return }
        Console.write("\r\u{1B}[2K", to: .standardOutput)
        isDrawn = false
    }
}

#endif

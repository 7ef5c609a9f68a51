// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A type that signals the commits of one file to all processes that listen.
///
/// A signal contains nothing: the receiver reads the file to find the changes. A signal without a change
/// therefore has no effect, and several signals can arrive as one.
protocol CommitSignal: Sendable {
    /// Signals a commit that has ended. The sender can receive its own signal.
    func send()

    /// Calls `body` on a queue after each signal, until the returned value is released.
    func listen(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> any CommitListener
}

/// A type that receives signals until it is released.
protocol CommitListener: AnyObject {}

/// A listener for systems without notifications: it treats each second as a signal.
///
/// Linux limits the number of inotify instances of a user (`fs.inotify.max_user_instances`).
final class TimerListener: CommitListener {
    private let source: any DispatchSourceTimer

    init(
        interval: DispatchTimeInterval = .seconds(1), on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: body)
        source.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
        source.activate()
    }

    deinit { source.cancel() }
}

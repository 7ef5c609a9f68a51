// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The declarations of Apple's Dispatch that the checked modules use: signatures and availability, without behaviour.

public final class DispatchQueue: @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 2)
    }

    public init(label: String, attributes: Attributes = []) {}
    public static func global() -> DispatchQueue { DispatchQueue(label: "") }
    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

public final class DispatchSemaphore: @unchecked Sendable {
    public init(value: Int) {}
    public func wait() {}
    @discardableResult public func signal() -> Int { 0 }
}

public enum DispatchTimeInterval: Sendable {
    case seconds(Int)
    case milliseconds(Int)
}

public struct DispatchTime: Sendable {
    public static func now() -> DispatchTime { DispatchTime() }
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }

public protocol DispatchSourceProtocol: AnyObject {
    func setEventHandler(handler: (@convention(block) @Sendable () -> Void)?)
    func activate()
    func cancel()
}

public protocol DispatchSourceTimer: DispatchSourceProtocol {}

extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .milliseconds(0)
    ) {}
}

public final class DispatchSource: DispatchSourceTimer {
    public static func makeTimerSource(queue: DispatchQueue? = nil) -> any DispatchSourceTimer { DispatchSource() }
    public func setEventHandler(handler: (@convention(block) @Sendable () -> Void)?) {}
    public func activate() {}
    public func cancel() {}
}

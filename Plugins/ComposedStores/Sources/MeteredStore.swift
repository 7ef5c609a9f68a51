// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The store backend `metered`: another store, whose reads and writes are counted and timed.
///
/// `"backend": {"type": "metered", "store": {"type": "sqlite"}}`. Results, errors and guarantees are those of the inner
/// store. Copies of a value share the counts.
///
/// ```swift
/// if let store = kit.store.backend as? MeteredStore { print(store.metrics.writes.count) }
/// ```
public struct MeteredStore: ForwardingStore {
    /// The options of the backend, next to `"type": "metered"` in `userstore.json`.
    public struct Configuration: Decodable, Sendable {
        /// The store to measure.
        public var store: StoreReference
        /// Creates a configuration in code.
        public init(store: StoreReference) { self.store = store }
    }

    /// The `type` of this backend in `userstore.json`: `metered`.
    public static var name: PluginName { "metered" }

    /// The store that is measured.
    public let inner: any StoreBackend
    private let meter: StoreMeter

    /// Measures an open store, which ``StoreBackend/close()`` closes.
    ///
    /// - Parameter uptime: returns the time since any fixed moment; it must not decrease.
    public init(_ inner: any StoreBackend, uptime: @escaping @Sendable () -> Duration = MeteredStore.elapsedTime()) {
        self.inner = inner
        meter = StoreMeter(uptime: uptime)
    }

    /// Opens the inner store in the same context.
    ///
    /// - Throws: the errors of opening it.
    public static func open(_ configuration: Configuration, in context: StoreContext) async throws -> MeteredStore {
        MeteredStore(try await context.open(configuration.store))
    }

    /// Returns a function that returns the time since this call, by the continuous clock of the system.
    public static func elapsedTime() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// The work since the store was opened.
    ///
    /// A call is counted when it ends, at the latest when its caller gets the result.
    public var metrics: StoreMetrics { meter.metrics }

    /// Writes to the inner store, and measures the call.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        let meter = meter
        let start = meter.start()
        do {
            let (result, entries) = try await inner.write { try Self.counting($0, body) }
            meter.endWrite(start, entries)
            return result
        } catch {
            meter.endWrite(start, nil)
            throw error
        }
    }

    /// Reads the inner store, and measures the call.
    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        let start = meter.start()
        var isFailure = true
        defer { meter.endRead(start, isFailure: isFailure) }
        let result = try await inner.read(body)
        isFailure = false
        return result
    }

    /// Reads the inner store, and measures the call once, even if the body runs more than once.
    public func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        let start = meter.start()
        var isFailure = true
        defer { meter.endRead(start, isFailure: isFailure) }
        let result = try await inner.quickRead(body)
        isFailure = false
        return result
    }

    /// Writes to the inner store on the calling thread, and measures the call.
    public func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        let start = meter.start()
        do {
            let (result, entries) = try inner.writeBlocking(at: now) { try Self.counting($0, body) }
            meter.endWrite(start, entries)
            return result
        } catch {
            meter.endWrite(start, nil)
            throw error
        }
    }

    /// Reads the inner store on the calling thread, and measures the call.
    public func readBlocking<T>(
        cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T
    ) throws -> T {
        let start = meter.start()
        var isFailure = true
        defer { meter.endRead(start, isFailure: isFailure) }
        let result = try inner.readBlocking(cancellation: cancellation, body)
        isFailure = false
        return result
    }

    private static func counting<T>(
        _ writer: any StoreWriter, _ body: (any StoreWriter) throws -> T
    ) throws -> (T, EntryCounts) {
        let counting = CountingWriter(writer)
        let result = try body(counting)
        return (result, counting.counts)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Metrics

    public import CoreMetrics
    public import SoupSync
    public import Tracing

    /// An observer that reports the work of syncs to swift-metrics and swift-distributed-tracing.
    ///
    /// ```swift
    /// let telemetry = SyncTelemetry(metrics: MetricsSystem.factory, tracer: InstrumentationSystem.tracer)
    /// let kit = try await SoupClient.open(at: folder, options: .init(observer: telemetry))
    /// ```
    ///
    /// The page of the module lists the metrics and the spans. Their labels have few different values: names of syncs,
    /// soups and plug-ins, outcomes and error codes; never IDs of records, URLs or messages.
    public struct SyncTelemetry: SyncObserver {
        let metrics: MetricHandles?
        let tracer: (any Tracer)?
        /// The time since a fixed moment, which never goes back.
        private let uptime: @Sendable () -> Duration

        /// Creates an observer for the backends of the app, which must have been bootstrapped before.
        ///
        /// - Parameters:
        ///   - metrics: makes the metrics; nil for none.
        ///   - tracer: makes the spans; nil for none.
        public init(metrics: (any MetricsFactory)? = nil, tracer: (any Tracer)? = nil) {
            let start = ContinuousClock.now
            self.init(metrics: metrics, tracer: tracer) { ContinuousClock.now - start }
        }

        /// - Parameter uptime: returns the time since a fixed moment.
        init(metrics: (any MetricsFactory)?, tracer: (any Tracer)?, uptime: @escaping @Sendable () -> Duration) {
            // Before the app has bootstrapped a backend, the systems have these, which ignore everything.
            self.metrics = metrics.flatMap { $0 is NOOPMetricsHandler ? nil : MetricHandles($0) }
            self.tracer = tracer is NoOpTracer ? nil : tracer
            self.uptime = uptime
        }

        /// Performs an activity in a span, and reports its result and its duration.
        public func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async {
            let start = uptime()
            let result: SyncActivityResult
            if let tracer, let span = SpanDescription(activity) {
                result = await span.perform(work, with: tracer)
            } else {
                result = await work()
            }
            guard let metrics else { return }
            for measurement in Measurement.all(of: activity, result, duration: uptime() - start) {
                metrics.record(measurement)
            }
        }
    }

#else

    /// Not available without the package trait `Metrics`.
    @available(*, unavailable, message: "Add traits: [\"Metrics\"] to the package dependency on SoupKit")
    public struct SyncTelemetry {}

#endif

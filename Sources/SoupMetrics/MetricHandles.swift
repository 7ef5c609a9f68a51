// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Metrics

    internal import CoreMetrics
    internal import Synchronization

    /// The metrics that were used so far: the handle of each is made once.
    final class MetricHandles: Sendable {
        private struct Key: Hashable {
            var name: String
            var labels: [String]
        }

        private let factory: any MetricsFactory
        private let counters = Mutex<[Key: Counter]>([:])
        private let timers = Mutex<[Key: CoreMetrics.Timer]>([:])

        init(_ factory: any MetricsFactory) { self.factory = factory }

        func record(_ measurement: Measurement) {
            let key = Key(name: measurement.name, labels: measurement.labels.map(\.value))
            switch measurement.value {
            case .count(let count): counter(key, measurement).increment(by: count)
            case .duration(let duration): timer(key, measurement).recordNanoseconds(duration.nanoseconds)
            }
        }

        private func counter(_ key: Key, _ measurement: Measurement) -> Counter {
            counters.withLock { counters in
                if let known = counters[key] { return known }
                let made = Counter(label: key.name, dimensions: measurement.dimensions, factory: factory)
                counters[key] = made
                return made
            }
        }

        private func timer(_ key: Key, _ measurement: Measurement) -> CoreMetrics.Timer {
            timers.withLock { timers in
                if let known = timers[key] { return known }
                let made = CoreMetrics.Timer(label: key.name, dimensions: measurement.dimensions, factory: factory)
                timers[key] = made
                return made
            }
        }
    }

    extension Duration {
        /// The duration in whole nanoseconds, from 0 to the range of the type.
        fileprivate var nanoseconds: Int64 {
            let (seconds, attoseconds) = components
            guard seconds >= 0 else { return 0 }
            let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
            return isTooLarge || isBeyond ? .max : sum
        }
    }

#endif

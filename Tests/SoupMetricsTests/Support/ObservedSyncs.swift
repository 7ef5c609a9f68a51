// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Metrics

    import Foundation
    import InMemoryTracing
    import MetricsTestKit
    import SoupKit
    import SoupLocalOrg
    import SoupMetrics
    import Tracing

    /// Contacts that are synced with a local org in both directions, with metrics and traces in memory.
    struct ObservedSyncs {
        let org: LocalOrg
        let store: SmartStore
        let syncs: SyncManager
        let metrics = TestMetrics()
        let tracer = InMemoryTracer()

        /// - Parameter network: returns the transport below the session, over that of the org.
        init(
            query: String = "SELECT Id, LastName, Title FROM Contact",
            deletes: SOQLSyncDownTarget.DeleteMode? = nil,
            network: (any HTTPTransport) -> any HTTPTransport = { $0 }
        ) async throws {
            org = try LocalOrg(seed: .tiny)
            let clock = InstantClock()
            store = SmartStore(MemoryStore(clock: clock), clock: clock)
            try await store.registerSoup(
                "contacts", ["Id", "__local__", "__sync_id__"].map { IndexSpec(JSONPath($0), .string) })
            let session = SessionTransport(
                over: network(org.transport),
                credentials: SalesforceCredentials(instanceURL: "http://localhost", accessToken: org.accessToken),
                clock: clock)
            syncs = try await SyncManager(
                backend: store.backend, registry: .standard,
                connection: SyncConnection(transport: session, basePath: session.apiPath, transportName: "local"),
                clock: clock, observer: SyncTelemetry(metrics: metrics, tracer: tracer))
            try await syncs.setUp([
                SyncDefinition(name: "down", type: .syncDown, soup: "contacts", target: .soql(query, deletes: deletes)),
                SyncDefinition(
                    name: "up", type: .syncUp, soup: "contacts", target: TargetReference([:]),
                    options: SyncOptions(mergeMode: .overwrite, fieldlist: ["LastName", "Title"])),
            ])
        }

        /// The counters, sorted: `soupkit_runs{sync=down,...} 1`; sizes of bodies are left out.
        var counters: [String] {
            metrics.counters.filter { !$0.label.hasSuffix("_bytes") }.map {
                "\($0.label){\($0.dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))} \($0.totalValue)"
            }.sorted()
        }

        /// The spans as a tree, two spaces a level: the name, and some attributes.
        func spans(_ attributes: [String] = []) -> [String] {
            let spans = tracer.finishedSpans
            func lines(below parent: String?, level: Int) -> [String] {
                spans.filter { $0.parentSpanID == parent }.flatMap { span in
                    let values = attributes.compactMap { name in
                        span.attributes.get(name).map { "\(name)=\(Self.text($0))" }
                    }
                    let line = ([span.operationName] + values).joined(separator: " ")
                    return [String(repeating: "  ", count: level) + line] + lines(below: span.spanID, level: level + 1)
                }
            }
            return lines(below: nil, level: 0)
        }

        private static func text(_ attribute: SpanAttribute) -> String {
            switch attribute {
            case .string(let text): text
            case .int32(let number): "\(number)"
            case .int64(let number): "\(number)"
            default: "\(attribute)"
            }
        }
    }

    /// The clock of the system, without waiting.
    struct InstantClock: SoupClock {
        var now: Date { SystemClock().now }
        func sleep(for duration: Duration) async throws { try Task.checkCancellation() }
    }

#endif

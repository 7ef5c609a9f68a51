// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Metrics

    import CoreMetrics
    import InMemoryTracing
    import MetricsTestKit
    import SoupKit
    import SoupLocalOrg
    import SoupTesting
    import Testing
    import Tracing

    @testable import SoupMetrics

    @Suite struct SyncTelemetryTests {
        /// The defaults of an app that has bootstrapped nothing.
        @Test func `Without a backend nothing is measured`() {
            let telemetry = SyncTelemetry(metrics: NOOPMetricsHandler.instance, tracer: NoOpTracer())
            #expect(telemetry.metrics == nil && telemetry.tracer == nil)
        }

        @Test func `A sync down is counted`() async throws {
            let world = try await ObservedSyncs()
            _ = try await world.syncs.reSync(named: "down").value
            #expect(
                world.counters == [
                    "soupkit_page_fetches{target=soql,outcome=done} 1",
                    "soupkit_page_saves{backend=memory,outcome=done} 1",
                    "soupkit_records{sync=down,type=syncDown,soup=contacts,target=soql,result=fetched} 3",
                    "soupkit_records{sync=down,type=syncDown,soup=contacts,target=soql,result=saved} 3",
                    "soupkit_requests{target=soql,connection=,transport=local,method=GET,outcome=2xx} 1",
                    "soupkit_runs{sync=down,type=syncDown,soup=contacts,target=soql,outcome=done,error=} 1",
                ])
            #expect(
                Set(world.metrics.timers.map(\.label)) == [
                    "soupkit_page_fetches_duration", "soupkit_page_saves_duration", "soupkit_requests_duration",
                    "soupkit_run_duration",
                ])
            #expect(world.metrics.counterTotal(label: "soupkit_request_received_bytes") > 100)
        }

        @Test func `A sync up is counted by outcome`() async throws {
            let world = try await ObservedSyncs()
            _ = try await world.syncs.reSync(named: "down").value
            let entries = try await world.store.query(.all("contacts")).entries
            try await world.store.edit(entries[0].id, setting: ["Title": "Captain"], in: "contacts")
            try await world.store.edit(entries[1].id, setting: ["LastName": nil], in: "contacts")
            try await world.store.create(["LastName": "Dahl"], type: "Contact", in: "contacts")
            world.metrics.reset()
            let result = try await world.syncs.reSync(named: "up").value
            #expect(result.failed == 1)
            let up = "sync=up,type=syncUp,soup=contacts,target=rest"
            #expect(
                world.counters.filter { !$0.hasPrefix("soupkit_requests") } == [
                    "soupkit_pushes{target=rest,outcome=done} 2",
                    "soupkit_records{\(up),result=created} 1",
                    "soupkit_records{\(up),result=failed} 1",
                    "soupkit_records{\(up),result=updated} 1",
                    "soupkit_runs{\(up),outcome=done,error=} 1",
                ])
            #expect(world.metrics.counterTotal(label: "soupkit_request_sent_bytes") > 50)
        }

        @Test func `Ghosts are counted once`() async throws {
            let world = try await ObservedSyncs()
            _ = try await world.syncs.reSync(named: "down").value
            try world.org.delete("Contact", id: try #require(world.org.id(of: "con3")))
            _ = try await world.syncs.cleanGhosts(named: "down")
            let ghosts = world.metrics.counterTotal(label: "soupkit_records", dimensions: [("result", "ghosts")])
            #expect(ghosts == 1)
            #expect(
                world.counters.contains(
                    "soupkit_ghost_cleanings{sync=down,type=syncDown,soup=contacts,target=soql,outcome=done} 1"))
        }

        /// The run and its cleaning report the same records.
        @Test func `Ghosts of a run with its own cleaning are counted once`() async throws {
            let world = try await ObservedSyncs(deletes: .incremental)
            _ = try await world.syncs.reSync(named: "down").value
            try world.org.delete("Contact", id: try #require(world.org.id(of: "con3")))
            let result = try await world.syncs.reSync(named: "down").value
            #expect(result.ghosts == 1)
            let ghosts = world.metrics.counterTotal(label: "soupkit_records", dimensions: [("result", "ghosts")])
            #expect(ghosts == 1)
        }

        /// A transport can report a cancelled request as a lost one.
        @Test func `A cancelled run is stopped, whatever its last error is`() async throws {
            let (requests, arrive) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let world = try await ObservedSyncs { _ in
                ScriptedTransport { _ in
                    arrive.yield()
                    for await _ in answers { break }
                    throw SoupError.network(.unknown, "the connection was closed")
                }
            }
            let run = try await world.syncs.reSync(named: "down")
            for await _ in requests { break }
            run.cancel()
            answer.yield()
            #expect(await run.result.state.status == .stopped)
            #expect(
                world.counters.filter { $0.hasPrefix("soupkit_runs") } == [
                    "soupkit_runs{sync=down,type=syncDown,soup=contacts,target=soql,outcome=stopped,error=} 1"
                ])
        }

        @Test func `A failed run has the code of its error as a label`() async throws {
            let world = try await ObservedSyncs(query: "SELECT Id, LastName FROM Contact WHERE Nothing__c = 1")
            _ = await (try world.syncs.reSync(named: "down")).result
            #expect(
                world.counters.contains(
                    "soupkit_runs{sync=down,type=syncDown,soup=contacts,target=soql,outcome=failed,error=server} 1"))
            #expect(
                world.counters.contains(
                    "soupkit_requests{target=soql,connection=,transport=local,method=GET,outcome=4xx} 1"))
            #expect(
                world.spans(["soupkit.outcome", "error.type"]) == [
                    "soupkit.run soupkit.outcome=failed error.type=server",
                    "  soupkit.page_fetch soupkit.outcome=failed error.type=server",
                    "    soupkit.request soupkit.outcome=done",
                ])
            #expect(world.tracer.finishedSpans.allSatisfy { $0.status?.code == .error && $0.errors.isEmpty })
            // Neither a query nor a path is an attribute.
            #expect(!"\(world.tracer.finishedSpans.map(\.attributes))".contains("Nothing__c"))
        }

        @Test func `Retries are counted`() async throws {
            let world = try await ObservedSyncs { base in
                FaultyTransport(base) { number, _ in number == 0 ? .lostAnswer : nil }
            }
            _ = try await world.syncs.reSync(named: "down").value
            #expect(world.metrics.counterTotal(label: "soupkit_request_retries") == 1)
            #expect(world.metrics.counterTotal(label: "soupkit_requests") == 1)
        }

        @Test func `Spans are nested, below the span of the app`() async throws {
            let world = try await ObservedSyncs()
            try await world.tracer.withSpan("app") { _ in
                _ = try await world.syncs.reSync(named: "down").value
            }
            let entry = try #require(try await world.store.query(.all("contacts")).entries.first)
            try await world.store.edit(entry.id, setting: ["Title": "Captain"], in: "contacts")
            _ = try await world.syncs.reSync(named: "up").value
            #expect(
                world.spans(["soupkit.sync", "soupkit.backend", "soupkit.changes", "http.response.status_code"]) == [
                    "app",
                    "  soupkit.run soupkit.sync=down",
                    "    soupkit.page_fetch soupkit.sync=down",
                    "      soupkit.request soupkit.sync=down http.response.status_code=200",
                    "    soupkit.page_save soupkit.sync=down soupkit.backend=memory",
                    "soupkit.run soupkit.sync=up",
                    "  soupkit.push soupkit.sync=up soupkit.changes=1",
                    "    soupkit.request soupkit.sync=up http.response.status_code=200",
                ])
        }

        @Test func `Durations are measured by the given clock`() async throws {
            let metrics = TestMetrics()
            let times = ManualUptime()
            let telemetry = SyncTelemetry(metrics: metrics, tracer: nil) { times.now }
            let activity = SyncActivity(.push, sync: "up", syncType: .syncUp, soup: "contacts", target: "rest")
            await telemetry.observe(activity) {
                times.advance(by: .milliseconds(1500))
                return SyncActivityResult()
            }
            let timer = try metrics.expectTimer(
                "soupkit_pushes_duration", [("target", "rest"), ("outcome", "done")])
            #expect(timer.values == [1_500_000_000])
        }
    }

#else

    import Testing

    @Suite struct SyncTelemetryTests {
        @Test(.disabled("needs the package trait Metrics: make test, or swift test --enable-all-traits"))
        func `Metrics need their trait`() {}
    }

#endif

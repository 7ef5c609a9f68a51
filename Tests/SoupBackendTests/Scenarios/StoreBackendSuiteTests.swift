// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import SoupSQLite
import SoupCore
import SoupTesting
import Synchronization
import Testing

@Suite struct StoreBackendSuiteTests {
    @Test func `Both backends pass the suite`() async throws {
        let stores = try await StoresUnderTest()
        try await StoreBackendSuite { stores.memory }.check()
        try await StoreBackendSuite { stores.sqlite }.check()
    }

    /// A backend with only the required methods uses page numbers as positions.
    @Test func `The default implementations pass the suite`() async throws {
        try await StoreBackendSuite { ChangedStore { PlainReader(reader: $0) } }.check()
    }

    @Test func `Violations are reported`() async throws {
        let careless = await StoreBackendSuite { ChangedStore { CarelessReader(reader: $0) } }.violations()
        // 16 queries, of which each gives its position to three or four others and to another backend.
        #expect(careless.count { $0.contains("and the store accepted it") } == 16 * 4 + 12)
        #expect(careless.count == 16 * 4 + 12, "\(careless)")
        let skipping = await StoreBackendSuite { ChangedStore { PlainReader(reader: $0, skips: true) } }.violations()
        #expect(
            skipping.contains { $0.contains("in several pages than on one page") }
                && skipping.contains { $0.hasPrefix("from page 1 on, ") })
        let open = await StoreBackendSuite { ChangedStore(closes: false) { PlainReader(reader: $0) } }.violations()
        #expect(
            open == [
                "a closed store can be read: throw SoupError.storeClosed",
                "changes(in:) of a closed store does not end: finish its streams when the store is closed",
                "changes(in:) of a closed store does not end: finish its streams when the store is closed",
            ])
    }

    @Test func `False claims are reported`() async throws {
        let claiming = await StoreBackendSuite {
            ChangedStore(claims: [.syncedCopies, .soupAlteration]) { PlainReader(reader: $0) }
        }.violations()
        #expect(claiming.count == 2, "\(claiming)")
        #expect(claiming[0].hasPrefix("the store claims syncedCopies, but does not return"))
        #expect(
            claiming[1].hasPrefix("the store claims soupAlteration, but altering a soup threw SoupError notSupported"))
        let modest = await StoreBackendSuite { ChangedStore { CopyingReader(reader: $0) } }.violations()
        #expect(modest == ["the store returns synced copies: claim syncedCopies"])
    }

    @Test func `Faults of restoring are reported`() async throws {
        let claiming = await StoreBackendSuite {
            ChangedStore(claims: [.foreignCommits]) { PlainReader(reader: $0) }
        }.violations()
        #expect(claiming.count == 1, "\(claiming)")
        #expect(
            claiming.first?.hasPrefix("the store claims foreignCommits, but the suite got SoupError notSupp") == true)
        func violations(_ fault: RestoringStore.Fault) async -> [String] {
            await StoreBackendSuite { RestoringStore(inner: MemoryStore(), fault: fault) }.violations()
        }
        let modest = await violations(.claimsNothing)
        #expect(
            modest == [
                "the store restores entries: claim restoring",
                "the store reports foreign commits: claim foreignCommits",
            ])
        let unable = await violations(.throwing)
        #expect(unable.count == 1 && unable[0].hasPrefix("the store claims restoring, but restoring entries threw"))
        let dating = await violations(.newDates)
        #expect(dating.contains { $0.hasPrefix("restore(_:in:) stored other entries") }, "\(dating)")
        let careless = await violations(.skippingChecks)
        #expect(careless.count == 1 && careless[0].contains("and the store accepted it"), "\(careless)")
        for (fault, violation) in [
            (.staleIndexes, "a query found other entries by the name of a restored one"),
            (.staleFlags, "restored entries with local changes are not among the dirty entries"),
            (.lowIds, "an entry that was inserted after a restored one has a lower ID or date"),
            (.noCopies, "an entry that was restored over one with local changes has another synced copy"),
            (.countsNothing, "foreignCommits() changed with a write through the store itself, or is nil"),
        ] as [(RestoringStore.Fault, String)] {
            let found = await violations(fault)
            #expect(found.count == 1 && found[0].hasPrefix(violation), "\(found)")
        }
        let shared = MemoryStore()
        let deaf = await StoreBackendSuite {
            RestoringStore(inner: shared, fault: .forgetsToCount)
        } reopen: { _ in
            RestoringStore(inner: shared, fault: .forgetsToCount)
        }.violations()
        #expect(
            deaf.contains { $0.hasPrefix("foreignCommits() did not change when another opened store") }, "\(deaf)")
        let counting = await violations(.countsOwnCommits)
        #expect(counting.count == 1 && counting[0].hasPrefix("foreignCommits() changed with a write"), "\(counting)")
    }

    @Test func `Faults of generations are reported`() async throws {
        func violations(_ fault: RestoringStore.Fault) async -> [String] {
            await StoreBackendSuite { RestoringStore(inner: MemoryStore(), fault: fault) }.violations()
        }
        let same = await violations(.sameGenerations)
        #expect(same.count == 2, "\(same)")
        #expect(same.first?.hasPrefix("generation(of:) is the same for a soup that was registered again") == true)
        #expect(same.last?.hasPrefix("generation(of:) is the same in another store") == true)
        let new = await violations(.newGenerations)
        #expect(new.count == 1 && new[0].hasPrefix("generation(of:) changed with a write or a clear"), "\(new)")
    }

    @Test func `Equal dates of two writes are reported`() async throws {
        let violations = await StoreBackendSuite { ChangedStore { EqualDatesReader(reader: $0) } }.violations()
        #expect(
            violations.count == 1 && violations[0].hasPrefix("two writes assigned the same modification date"),
            "\(violations)")
    }

    @Test func `A lease that excludes no other caller is reported`() async throws {
        let granting = await StoreBackendSuite {
            ChangedStore(leases: { _ in SyncLease {} }) { PlainReader(reader: $0) }
        }.violations()
        #expect(granting.count == 1 && granting[0].hasPrefix("claimSyncs() returned a second lease"), "\(granting)")
        let refusing = await StoreBackendSuite {
            ChangedStore(leases: { _ in nil }) { PlainReader(reader: $0) }
        }.violations()
        #expect(refusing == ["claimSyncs() returned nil while the lease was free: return a lease"])
        let grants = Mutex(0)
        let stuck = await StoreBackendSuite {
            ChangedStore(leases: { _ in
                grants.withLock { grants in
                    grants += 1
                    return grants == 1 ? SyncLease {} : nil
                }
            }) { PlainReader(reader: $0) }
        }.violations()
        #expect(stuck == ["claimSyncs() returned nil after release(): release the lock in the lease's closure"])
    }
}

extension StoreBackendSuiteTests {
    @Test func `A second opened store with a lease is reported`() async throws {
        let stores = try await StoresUnderTest()
        let violations = await StoreBackendSuite {
            stores.sqlite
        } reopen: { _ in
            FaultyStore(inner: MemoryStore(), fault: .lease)
        }.violations()
        #expect(violations.count == 3, "\(violations)")
        #expect(violations[0].hasPrefix("foreignCommits() did not change when another opened store"))
        #expect(violations[1].hasPrefix("the suite wrote through a second opened store, which threw"))
        #expect(violations[2].contains("granted the lease, which the first store holds"))
    }

    @Test func `Unreported writes of a second store are found`() async throws {
        let stores = try await StoresUnderTest()
        var suite = StoreBackendSuite {
            FaultyStore(inner: stores.sqlite, fault: .deaf)
        } reopen: { _ in
            try await stores.reopenedSQLite()
        }
        suite.reportLimit = .milliseconds(50)
        let violations = await suite.violations()
        #expect(
            violations.count == 1 && violations[0].hasPrefix("changes(in:) did not report a write of another opened"),
            "\(violations)")
    }

    @Test func `Torn reads are reported`() async throws {
        let violations = await StoreBackendSuite { FaultyStore(inner: MemoryStore(), fault: .tornReads) }.violations()
        #expect(
            violations.count == 1 && violations[0].contains("saw one soup after a write and another before it"),
            "\(violations)")
    }

    @Test func `Faults of blocking access are reported`() async throws {
        func violations(_ fault: FaultyStore.Fault) async -> [String] {
            await StoreBackendSuite { FaultyStore(inner: MemoryStore(), fault: fault) }.violations()
        }
        let committing = await violations(.commitsErrors)
        #expect(
            committing.count == 1 && committing[0].hasPrefix("after a writeBlocking that returned"), "\(committing)")
        let late = await violations(.lateSnapshot)
        #expect(late.count == 1 && late[0].hasPrefix("a readBlocking saw a write"), "\(late)")
        let deaf = await violations(.ignoresCancellation)
        #expect(deaf.count == 1 && deaf[0].hasPrefix("a query after the cancellation"), "\(deaf)")
    }
}

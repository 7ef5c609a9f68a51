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
        #expect(violations.count == 2, "\(violations)")
        #expect(violations[0].hasPrefix("foreignCommits() did not change when another opened store"))
        #expect(violations[1].contains("granted the lease, which the first store holds"))
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

/// The memory store with a fault in the parts that layered stores use.
private final class RestoringStore: ForwardingStore {
    enum Fault {
        case claimsNothing, throwing, newDates, skippingChecks, countsOwnCommits
        case sameGenerations, newGenerations
        case staleIndexes, staleFlags, lowIds, noCopies, countsNothing, forgetsToCount
    }
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "restoring"

    let inner: any StoreBackend
    let fault: Fault
    private let calls = Mutex<Int64>(0)

    init(inner: any StoreBackend, fault: Fault) {
        self.inner = inner
        self.fault = fault
    }

    var capabilities: Set<StoreCapability> {
        fault == .claimsNothing ? inner.capabilities.subtracting([.restoring, .foreignCommits]) : inner.capabilities
    }

    func capabilities(of soup: SoupName) -> Set<StoreCapability> { capabilities }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        let fault = fault
        return try await inner.write { try body(Writer(writer: $0, fault: fault)) }
    }

    func foreignCommits() throws -> Int64? {
        calls.withLock { calls in
            // It is called before and after a write of its own, and after one of another store.
            calls += fault == .countsOwnCommits ? 1 : 0
            return fault == .countsNothing ? nil : calls
        }
    }

    private struct Writer: ForwardingWriter {
        let writer: any StoreWriter
        let fault: Fault

        func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
            switch fault {
            case .throwing: throw SoupError(.notSupported, "not implemented")
            case .newDates:
                try writer.restore(
                    entries.map { SoupEntry(id: $0.id, version: $0.version + 1, stored: $0.stored) }, in: soup)
            case .skippingChecks: try writer.restore(entries.filter { $0.damage(in: soup) == nil }, in: soup)
            default: try writer.restore(entries, in: soup)
            }
        }

        func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
            guard fault == .staleIndexes, spec.soup == "copies" else {
                return try writer.query(spec, page: page, arguments: arguments)
            }
            return try writer.query(.exact("copies", "name", equals: "edited"), page: page, arguments: arguments)
        }

        func generation(of soup: SoupName) throws -> String {
            switch fault {
            case .sameGenerations: "1"
            case .newGenerations: "\(UInt64.random(in: 0 ... .max))"
            default: try writer.generation(of: soup)
            }
        }

        func dirtyIds(in soup: SoupName) throws -> [Int64] {
            fault == .staleFlags && soup == "copies" ? [] : try writer.dirtyIds(in: soup)
        }

        func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
            fault == .noCopies && soup == "copies" ? [:] : try writer.syncedCopies(of: ids, in: soup)
        }

        func upsert(
            _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
            guarding: WriteGuard
        ) throws -> [UpsertResult] {
            let results = try writer.upsert(
                batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
            guard fault == .lowIds, soup == "copies" else { return results }
            return results.map { UpsertResult($0.outcome, id: 3, version: $0.version) }
        }
    }
}

/// The memory store with a fault in the access that composed stores use.
private struct FaultyStore: ForwardingStore {
    enum Fault { case lease, tornReads, commitsErrors, lateSnapshot, ignoresCancellation }
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "faulty"

    let inner: any StoreBackend
    let fault: Fault

    var capabilities: Set<StoreCapability> {
        fault == .tornReads ? inner.capabilities.subtracting([.composable]) : inner.capabilities
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        guard fault == .tornReads else { return try await inner.read(body) }
        let stale = SoupEntry(id: 1, version: 1, stored: try JSONText(#"{"size": -1}"#))
        return try await inner.read { first in try body(LateReader(reader: first, late: ["others"]) { _ in [stale] }) }
    }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        guard fault == .commitsErrors else { return try inner.writeBlocking(at: now, body) }
        return try inner.writeBlocking(at: now) { writer in Result { try body(writer) } }.get()
    }

    func readBlocking<T>(cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T) throws -> T {
        let flag = fault == .ignoresCancellation ? CancellationFlag() : cancellation
        guard fault == .lateSnapshot else { return try inner.readBlocking(cancellation: flag, body) }
        return try inner.readBlocking(cancellation: flag) { first in
            try body(LateReader(reader: first, late: ["things", "others"]) { try inner.newest($0) })
        }
    }
}

extension StoreBackend {
    /// Returns the first entry of a soup in the newest state.
    fileprivate func newest(_ soup: SoupName) throws -> [SoupEntry] {
        try readBlocking(cancellation: CancellationFlag()) { try $0.retrieve([1], from: soup) }
    }
}

/// A reader that retrieves the entries of some soups from the newest state instead of its snapshot.
private struct LateReader: SoupCore.ForwardingReader {
    let reader: any StoreReader
    let late: Set<SoupName>
    let newest: (SoupName) throws -> [SoupEntry]

    init(reader: any StoreReader, late: Set<SoupName>, newest: @escaping (SoupName) throws -> [SoupEntry]) {
        self.reader = reader
        self.late = late
        self.newest = newest
    }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        guard ids == [1], late.contains(soup) else { return try reader.retrieve(ids, from: soup) }
        return try newest(soup)
    }
}

/// The memory store with another reader, and optionally with faults.
private struct ChangedStore<Reader: StoreReader & SendableMetatype>: StoreBackend {
    typealias Configuration = MemoryStore.Configuration
    static var name: PluginName { "changed" }

    private let store = MemoryStore()
    private let claims: Set<StoreCapability>
    private let closes: Bool
    private let leases: @Sendable (MemoryStore) async throws -> SyncLease?
    private let reader: @Sendable (any StoreReader) -> Reader
    var capabilities: Set<StoreCapability> { claims.union([.json1, .restoring]) }

    init(
        claims: Set<StoreCapability> = [], closes: Bool = true,
        leases: @escaping @Sendable (MemoryStore) async throws -> SyncLease? = { try await $0.claimSyncs() },
        _ reader: @escaping @Sendable (any StoreReader) -> Reader
    ) {
        self.claims = claims
        self.closes = closes
        self.leases = leases
        self.reader = reader
    }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self {
        throw SoupError(.notSupported, "only tests create this store")
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await store.write(body)
    }
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        let reader = reader
        return try await store.read { try body(reader($0)) }
    }
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { store.changes(in: soups) }
    func claimSyncs() async throws -> SyncLease? { try await leases(store) }
    func close() async throws { if closes { try await store.close() } }
}

private protocol ForwardingReader: StoreReader {
    var reader: any StoreReader { get }
}

extension ForwardingReader {
    func soupNames() throws -> [SoupName] { try reader.soupNames() }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try reader.indexSpecs(of: soup) }
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] { try reader.retrieve(ids, from: soup) }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try reader.lookup(value, at: path, in: soup)
    }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { try reader.count(spec, arguments: arguments) }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { try reader.dirtyIds(in: soup) }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] {
        try reader.cleanValues(at: path, in: soup, writtenBy: syncId)
    }
}

/// A reader with only the required methods.
private struct PlainReader: ForwardingReader {
    let reader: any StoreReader
    var skips = false

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: skips && page > 0 ? page + 1 : page, arguments: arguments)
    }
}

/// A reader with synced copies.
private struct CopyingReader: ForwardingReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        try reader.syncedCopies(of: ids, in: soup)
    }
}

/// A reader for which all entries have the same date.
private struct EqualDatesReader: ForwardingReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let found = try reader.query(spec, page: page, arguments: arguments)
        guard case .entries(let entries) = found else { return found }
        return .entries(entries.map { SoupEntry(id: $0.id, version: 1, stored: $0.stored) })
    }
}

/// A reader that accepts every position as its own.
private struct CarelessReader: ForwardingReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }
    func query(_ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    > {
        let own = position.map { QueryPosition($0.anchor, in: spec, arguments: arguments, backend: MemoryStore.name) }
        return try reader.query(spec, after: own, arguments: arguments)
    }
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        try reader.positionedPage(number, of: spec, arguments: arguments)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

extension StoreBackendSuite {
    private struct Stop: Error {}

    /// Checks the access of a store that claims `composable`, on threads of its own.
    func checkBlockingAccess(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        guard store.capabilities.contains(.composable) else { return }
        await checkBlockingWrites(store, &report)
        await checkBlockingSnapshot(store, &report)
        await checkBlockingCancellation(store, &report)
    }

    private func checkBlockingWrites(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let rule = "run the body in one transaction, as write does"
        let found = await report.expect("the suite called writeBlocking, and the store", rule: rule) {
            try await Self.onThread {
                try store.writeBlocking(at: nil) { try Self.write(1_001, with: $0) }
                do {
                    try store.writeBlocking(at: nil) { writer in
                        try Self.write(1_002, with: writer)
                        throw Stop()
                    }
                } catch is Stop {}
            }
            return try await store.read { try Self.numbers(in: $0) }
        }
        guard let found else { return }
        report.require(
            found == [1_001, 1_001],
            "after a writeBlocking that returned, and one whose body threw, the store does not have the state of the first "
                + "one: \(rule)")
    }

    private func checkBlockingSnapshot(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        let rule = "fix the snapshot before the body begins, and let writes continue"
        let found = await report.expect("the suite wrote during a readBlocking, and the store", rule: rule) {
            try await store.write { try Self.write(1_003, with: $0) }
            let begun = AsyncStream.makeStream(of: Void.self)
            let written = DispatchSemaphore(value: 0)
            async let reading = Self.onThread {
                defer { begun.continuation.finish() }
                return try store.readBlocking(cancellation: CancellationFlag()) { reader in
                    begun.continuation.finish()
                    written.wait()
                    return try Self.numbers(in: reader)
                }
            }
            for await _ in begun.stream {}
            defer { written.signal() }
            try await store.write { try Self.write(1_004, with: $0) }
            written.signal()
            return try await reading
        }
        guard let found else { return }
        report.require(
            found == [1_003, 1_003], "a readBlocking saw a write that was made after its body had begun: \(rule)")
    }

    private func checkBlockingCancellation(_ store: any StoreBackend, _ report: inout SuiteReport) async {
        do {
            try await Self.onThread {
                let flag = CancellationFlag()
                try store.readBlocking(cancellation: flag) { reader in
                    flag.set()
                    // A backend may check the flag before each query.
                    for _ in 0..<2 { _ = try reader.count(.all("things")) }
                }
            }
            report.note("a query after the cancellation of a readBlocking succeeded: throw CancellationError")
        } catch {
            report.require(
                error is CancellationError,
                "a query after the cancellation of a readBlocking threw \(error.quoted): throw CancellationError")
        }
    }

    /// Runs work that may block, on a new thread.
    private static func onThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: work)) }.start()
        }
    }
}

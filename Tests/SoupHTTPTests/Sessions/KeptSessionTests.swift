// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import Foundation
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

/// Renewals of a saved session.
@Suite struct KeptSessionTests {
    private let store = MemoryCredentialStore()
    private let account = SessionAccount.connection("crm")
    private let clock = ManualClock()

    private func session(_ access: String?, _ refresh: String?, expires: Double? = nil) -> SavedSession {
        SavedSession(
            tokenURL: "https://t.example.com", clientId: "c", accessToken: access,
            accessTokenExpiry: expires.map { clock.now.addingTimeInterval($0) }, refreshToken: refresh,
            savedAt: clock.now)
    }

    private func kept(known: SavedSession? = nil, in store: (any CredentialStore)? = nil) -> KeptSession {
        KeptSession(account, in: store ?? self.store, clock: clock, known: known, accepts: { $0.clientId == "c" })
    }

    @Test func `New tokens are saved before they are returned`() async throws {
        store.save(session("a1", "r1"), for: account)
        let order = Recorder()
        let recording = RecordingStore(store) { order.note($0) }
        let fresh = try await kept(in: recording).renewed(replacing: "a1") { old in
            order.note("refresh \(old.refreshToken ?? "")")
            return session("a2", "r2")
        }
        order.note("return \(fresh.accessToken ?? "")")
        // The first one checks that the store can save, while r1 is still valid.
        #expect(order.all == ["save a1 r1", "refresh r1", "save a2 r2", "return a2"])
    }

    @Test func `Nothing is sent if the store cannot save`() async throws {
        store.save(session("a1", "r1"), for: account)
        var full = RecordingStore(store) { _ in }
        full.beforeSave = { throw SoupError(.credentialsUnusable, "the disk is full") }
        let configured = session("a1", "r1")
        for known in [nil, configured] {
            if known != nil { store.removeSession(of: account) }
            let error = await #expect(throws: SoupError.self) {
                try await kept(known: known, in: full).renewed(replacing: "a1") { _ in
                    Issue.record("the token must not be used up")
                    return session("a2", "r2")
                }
            }
            #expect(error?.message == "the disk is full")
        }
    }

    @Test func `A session that another process renewed is used`() async throws {
        store.save(session("a2", "r2"), for: account)
        let renewed = try await kept().renewed(replacing: "a1") { _ in
            Issue.record("no request is necessary")
            return session(nil, nil)
        }
        #expect(renewed == session("a2", "r2"))
    }

    @Test func `An access token that ends within 30 seconds is renewed`() async throws {
        store.save(session("a2", "r2", expires: 29), for: account)
        #expect(try await kept().renewed(replacing: "a1") { _ in session("a3", "r2") }.accessToken == "a3")
        store.save(session("a2", "r2", expires: 31), for: account)
        #expect(try await kept().renewed(replacing: "a1") { _ in session("a3", "r2") }.accessToken == "a2")
    }

    @Test func `A removed session stays removed`() async throws {
        let error = await #expect(throws: SoupError.self) {
            try await kept().renewed(replacing: "a1") { _ in session("a2", "r2") }
        }
        #expect(error?.code == .sessionExpired)
        #expect(store.accounts() == [])
    }

    @Test func `A session of another client is not used`() async throws {
        var other = session("a2", "r2")
        other.clientId = "other"
        store.save(other, for: account)
        #expect(try await kept().saved() == nil)
        let known = session("a1", "r1")
        let renewed = try await kept(known: known).renewed(replacing: "a1") { old in
            #expect(old == known)
            return session("a3", "r3")
        }
        #expect(renewed.accessToken == "a3")
    }

    @Test func `A refused token is sent once`() async throws {
        store.save(session("a1", "r1"), for: account)
        let kept = kept()
        let requests = Recorder()
        let refuse: @Sendable (SavedSession) async throws -> SavedSession = { _ in
            requests.note("refresh")
            throw SoupError(.sessionExpired, "the session has expired: revoked", hint: "Log in again.")
        }
        for _ in 0..<3 {
            let error = await #expect(throws: SoupError.self) {
                try await kept.renewed(replacing: "a1", by: refuse)
            }
            #expect(error?.message == "the session has expired: revoked")
        }
        #expect(requests.all.count == 1)
        // The user logs in again, here or in another process.
        store.save(session("a5", "r5"), for: account)
        #expect(try await kept.renewed(replacing: "a1", by: refuse).accessToken == "a5")
        #expect(try await kept.renewed(replacing: "a5") { _ in session("a6", "r6") }.accessToken == "a6")
    }

    @Test func `A lost response is repeated once`() async throws {
        store.save(session("a1", "r1"), for: account)
        func refresh(
            _ requests: Recorder, losing failures: Int, then end: @escaping @Sendable () throws -> SavedSession
        ) async throws -> String? {
            try await kept().renewed(replacing: "a1") { old in
                if requests.note(old.refreshToken ?? "") <= failures {
                    throw SoupError.network(.unknown, "reset")
                }
                return try end()
            }.accessToken
        }
        // The server accepts the previous token again.
        let once = Recorder()
        #expect(try await refresh(once, losing: 1) { session("a2", "r3") } == "a2")
        #expect(once.all == ["r1", "r1"])
        #expect(store.session(of: account) == session("a2", "r3"))

        // The server does not accept it: only a login helps, and the error says why.
        store.save(session("a1", "r1"), for: account)
        let lost = await #expect(throws: SoupError.self) {
            try await refresh(Recorder(), losing: 1) {
                throw SoupError(.sessionExpired, "the session has expired: used")
            }
        }
        #expect(lost?.code == .sessionExpired)
        #expect(lost?.message == "the session has expired: the response with its new refresh token was lost")

        // The network stays away: nothing is changed.
        let twice = Recorder()
        let away = await #expect(throws: SoupError.self) {
            try await refresh(twice, losing: 9) { session("a2", "r2") }
        }
        #expect(away?.code == .network)
        #expect(twice.all == ["r1", "r1"])
        #expect(store.session(of: account) == session("a1", "r1"))
    }

    @Test func `A request that was not sent is not repeated`() async throws {
        store.save(session("a1", "r1"), for: account)
        let requests = Recorder()
        let error = await #expect(throws: SoupError.self) {
            try await kept().renewed(replacing: "a1") { _ in
                requests.note("refresh")
                throw SoupError.network(.notSent, "refused")
            }
        }
        #expect(error?.code == .network && requests.all.count == 1)
    }

    @Test func `Without its store a required session is not renewed`() async throws {
        let broken = RecordingStore(store, isBroken: true) { _ in }
        let error = await #expect(throws: SoupError.self) {
            try await kept(in: broken).renewed(replacing: "a1") { _ in
                Issue.record("the token must not be used up")
                return session("a2", "r2")
            }
        }
        #expect(error?.code == .credentialsUnusable)
    }

    @Test func `A token that could not be saved is saved later`() async throws {
        let failures = Recorder()
        var failing = RecordingStore(store) { _ in }
        // The disk is full after the check before the request.
        failing.beforeSave = {
            guard failures.note("save") == 2 else { return }
            throw SoupError(.credentialsUnusable, "the disk is full")
        }
        let account = kept().account
        store.save(session("a1", "r1"), for: account)
        let kept = kept(in: failing)
        let error = await #expect(throws: SoupError.self) {
            try await kept.renewed(replacing: "a1") { _ in session("a2", "r2") }
        }
        #expect(error?.code == .credentialsUnusable)
        // The server has replaced r1, so that only r2 can be used.
        let renewed = try await kept.renewed(replacing: "a1") { old in
            Issue.record("\(old) must not be renewed again")
            return old
        }
        #expect(renewed.accessToken == "a2")
        #expect(store.session(of: account)?.refreshToken == "r2")
    }

    @Test func `A new configured token is saved later, too`() async throws {
        let saves = Recorder()
        var failing = RecordingStore(store) { _ in }
        failing.beforeSave = {
            guard saves.note("save") == 2 else { return }
            throw SoupError(.credentialsUnusable, "the disk is full")
        }
        let kept = kept(known: session(nil, "r1"), in: failing)
        await #expect(throws: SoupError.self) {
            try await kept.renewed(replacing: nil) { _ in session("a2", "r2") }
        }
        let renewed = try await kept.renewed(replacing: nil) { old in
            Issue.record("\(old) must not be renewed again")
            return old
        }
        #expect(renewed.accessToken == "a2" && store.session(of: account)?.refreshToken == "r2")
    }

    /// Another process logs the user out, or in again, after the session could not be saved.
    @Test(arguments: [nil, "r9"] as [String?])
    func `An unsaved token replaces no other session`(login: String?) async throws {
        let failures = Recorder()
        var failing = RecordingStore(store) { _ in }
        // The disk is full after the check before the request.
        failing.beforeSave = {
            guard failures.note("save") == 2 else { return }
            throw SoupError(.credentialsUnusable, "the disk is full")
        }
        store.save(session("a1", "r1"), for: account)
        let renewing = kept(in: failing)
        await #expect(throws: SoupError.self) {
            try await renewing.renewed(replacing: "a1") { _ in session("a2", "r2") }
        }
        if let login { store.save(session("a9", login), for: account) } else { store.removeSession(of: account) }
        let renewed = try? await renewing.renewed(replacing: "a1") { old in
            Issue.record("\(old) must not be renewed")
            return old
        }
        #expect(renewed?.refreshToken == login)
        #expect(store.session(of: account)?.refreshToken == login)
    }

    @Test func `A configured token is renewed without its store`() async throws {
        let broken = RecordingStore(store, isBroken: true) { _ in }
        let reports = Recorder()
        let kept = KeptSession(
            .configuredToken(digest: "d"), in: broken, clock: clock, known: session("a1", "r1"), accepts: { _ in true },
            report: { reports.note($0.message) })
        #expect(try await kept.renewed(replacing: "a1") { _ in session("a2", "r2") }.accessToken == "a2")
        // The replaced token is known to this process.
        let second = try await kept.renewed(replacing: "a2") { old in
            #expect(old.refreshToken == "r2")
            return session("a3", "r3")
        }
        #expect(second.accessToken == "a3")
        #expect(Set(reports.all) == ["broken"])
    }

    @Test func `A configured token is only kept if it is replaced`() async throws {
        let account = SessionAccount.configuredToken(digest: "d")
        let kept = KeptSession(
            account, in: store, clock: clock, known: session("a1", "r1"), accepts: { _ in true }, report: { _ in })
        _ = try await kept.renewed(replacing: "a1") { _ in session("a2", "r1") }
        #expect(store.accounts() == [])
        _ = try await kept.renewed(replacing: "a2") { _ in session("a3", "r2") }
        #expect(store.session(of: account) == session("a3", "r2"))
    }
}

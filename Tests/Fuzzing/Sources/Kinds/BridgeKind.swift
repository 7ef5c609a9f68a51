// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupBridge
internal import SoupCore
internal import SoupKit
internal import SoupTesting

/// The JavaScript bridge: calls as JSON, over one store that serves the whole run.
///
/// Every call gets one answer, and the soup `control` of the same store does not change.
actor BridgeKind: FuzzKind {
    nonisolated let name = "bridge"
    nonisolated let share = 3
    nonisolated let words = [
        #""service":"com.salesforce.smartstore""#, #""service":"com.salesforce.mobilesync""#,
        #""service":"com.salesforce.network""#, #""action":"pgRegisterSoup""#, #""action":"pgUpsertSoupEntries""#,
        #""action":"pgQuerySoup""#, #""action":"pgRunSmartQuery""#, #""action":"pgMoveCursorToPageIndex""#,
        #""action":"pgRetrieveSoupEntries""#, #""action":"pgRemoveFromSoup""#, #""action":"pgAlterSoup""#,
        #""action":"pgGetSoupIndexSpecs""#, #""action":"pgReIndexSoup""#, #""action":"pgCloseCursor""#,
        #""action":"syncDown""#, #""action":"syncUp""#, #""action":"getSyncStatus""#, #""action":"deleteSync""#,
        #""action":"pgSendRequest""#, #""args":["pluginSDKVersion:14.0.0",{"#, #""soupName":"fuzzed""#, #""entries":["#,
        #""entryIds":[1]"#, #""externalIdPath":"Id""#, #""querySpec":{"queryType":"exact","indexPath":"Id","#,
        #""querySpec":{"queryType":"smart","smartSql":"SELECT {fuzzed:_soup} FROM {fuzzed}"}"#, #""matchKey":"a""#,
        #""cursorId":"1""#, #""index":"#, #""indexes":[{"path":"Id","type":"string"}]"#, #""isGlobalStore":true"#,
        #""target":{"type":"soql","query":"SELECT Id FROM Account"}"#, #""options":{"mergeMode":"OVERWRITE"}"#,
        #""path":"/services/data/","method":"GET""#, "null", "true", "9223372036854775807", "-1", "1e400", "\"",
        "\\u0000",
    ]

    private let store: SmartStore
    private let bridge: JavaScriptBridge
    private var calls = 0

    init() async throws {
        let store = SmartStore(try await MemoryStore.open(.init(), in: StoreContext(folder: .temporaryDirectory)))
        self.store = store
        // No request leaves the process, so every sync fails.
        let transport = ScriptedTransport { _ in throw SoupError.network(.notSent, "there is no server") }
        let syncs = try await SyncManager(
            store: store, registry: .standard, connection: SyncConnection(transport: transport))
        bridge = JavaScriptBridge(
            OpenStores([BridgeStoreName(): BridgeStore(store: store, syncs: syncs)]),
            server: BridgeServer(transport: transport))
        try await store.registerSoup("control", [IndexSpec("Id", .string)])
        try await store.registerSoup("fuzzed", [IndexSpec("Id", .string)])
        try await store.upsert(["Id": "1"], into: "control")
    }

    func check(_ input: [UInt8]) async throws -> String {
        let call: BridgeCall
        do {
            call = try BridgeCall(json: input)
        } catch let error as SoupError {
            return outline("refused", error.message)
        }
        // A call may name any soup, also the one that must not change.
        guard !String(decoding: input, as: UTF8.self).contains("control") else { return "skipped" }
        calls += 1
        let reply = try await bridge.perform(call, in: "session \(calls % 7)".replacing(" ", with: "-"))
        let json = reply.answer.json
        try require((try? JSONText(json.bytes)) != nil, "the answer is not JSON: \(json)")
        let count = try await store.count(.exact("control", "Id", equals: "1"))
        try require(count == 1, "the call changed another soup")
        if calls.isMultiple(of: 500) { bridge.close() }
        switch reply.answer {
        case .value: return "\(call.service) \(call.action)".excerpt(60)
        case .error(let text): return outline("error", text.string ?? "")
        }
    }
}

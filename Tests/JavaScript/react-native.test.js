// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { VERSION, STORE, SYNC, NETWORK, until, idle, observeStreams, syncRow } = require('./support/fake-bridge.js');
const { withClient, withBridge } = require('./support/fixture.js');

const OAUTH = 'com.salesforce.oauth';

/** Names on iOS and Android, service, and the action of each method. */
const MODULES = [
    ['SFSmartStoreReactBridge', 'SmartStoreReactBridge', STORE, {
        registerSoup: 'pgRegisterSoup', soupExists: 'pgSoupExists', removeSoup: 'pgRemoveSoup',
        clearSoup: 'pgClearSoup', getSoupIndexSpecs: 'pgGetSoupIndexSpecs', alterSoup: 'pgAlterSoup',
        reIndexSoup: 'pgReIndexSoup', upsertSoupEntries: 'pgUpsertSoupEntries',
        retrieveSoupEntries: 'pgRetrieveSoupEntries', removeFromSoup: 'pgRemoveFromSoup', querySoup: 'pgQuerySoup',
        runSmartQuery: 'pgRunSmartQuery', moveCursorToPageIndex: 'pgMoveCursorToPageIndex',
        closeCursor: 'pgCloseCursor', getDatabaseSize: 'pgGetDatabaseSize', removeStore: 'pgRemoveStore',
        getAllStores: 'pgGetAllStores', getAllGlobalStores: 'pgGetAllGlobalStores',
        removeAllStores: 'pgRemoveAllStores', removeAllGlobalStores: 'pgRemoveAllGlobalStores',
    }],
    ['SFMobileSyncReactBridge', 'MobileSyncReactBridge', SYNC, {
        syncDown: 'syncDown', syncUp: 'syncUp', reSync: 'reSync', getSyncStatus: 'getSyncStatus',
        deleteSync: 'deleteSync', cleanResyncGhosts: 'cleanResyncGhosts',
    }],
    ['SFNetReactBridge', 'SalesforceNetReactBridge', NETWORK, { sendRequest: 'pgSendRequest' }],
    ['SFOauthReactBridge', 'SalesforceOauthReactBridge', OAUTH, {
        authenticate: 'authenticate', getAuthCredentials: 'getAuthCredentials', logoutCurrentUser: 'logoutCurrentUser',
    }],
];

/** Calls a method of iOS: callback(error, value). */
const ios = (method, args) => new Promise((resolve) => {
    method(args, (...outcome) => resolve(outcome));
});
/** Calls a method of Android: success(text), error(text). */
const android = (method, args) => new Promise((resolve) => {
    method(args, (text) => resolve({ text }), (error) => resolve({ error }));
});

for (const [iosName, androidName, service, methods] of MODULES) {
    test(`${iosName} and ${androidName} have the methods of the service`, withClient(async (kit, bridge) => {
        const args = { isGlobalStore: true, storeName: 's', soupName: 'a', syncName: undefined };
        const sent = { isGlobalStore: true, storeName: 's', soupName: 'a' };
        const row = syncRow(1, 'DONE');
        bridge.answer = () => row;
        assert.deepEqual(Object.keys(kit.nativeModules.ios[iosName]).sort(), Object.keys(methods).sort());
        assert.deepEqual(Object.keys(kit.nativeModules.android[androidName]).sort(), Object.keys(methods).sort());
        for (const [method, action] of Object.entries(methods)) {
            const [error, value] = await ios(kit.nativeModules.ios[iosName][method], args);
            // iOS answers the removal of stores with OK, and Android with true.
            assert.deepEqual([error, value], [null, /^remove.*Store/.test(method) ? 'OK' : row]);
            assert.deepEqual([bridge.last.service, bridge.last.action, bridge.last.args],
                [service, action, [VERSION, sent]]);
            const { text } = await android(kit.nativeModules.android[androidName][method], args);
            assert.deepEqual(JSON.parse(text), row);
            assert.deepEqual([bridge.last.service, bridge.last.action, bridge.last.args],
                [service, action, [VERSION, sent]]);
        }
        bridge.answer = () => { throw 'it failed'; };
        for (const method of Object.keys(methods)) {
            assert.deepEqual(await ios(kit.nativeModules.ios[iosName][method], args), ['it failed']);
            assert.deepEqual(await android(kit.nativeModules.android[androidName][method], args),
                { error: 'it failed' });
        }
        bridge.answer = () => { throw null; };
        const [first] = Object.keys(methods);
        assert.deepEqual(await ios(kit.nativeModules.ios[iosName][first], args),
            ['The call failed without a message']);
    }));
}

test('values keep their types', withClient(async (kit, bridge) => {
    const { SFSmartStoreReactBridge: store } = kit.nativeModules.ios;
    const { SmartStoreReactBridge: texts } = kit.nativeModules.android;
    for (const [value, text] of [
        [true, 'true'], [false, 'false'], [0, '0'], ['OK', '"OK"'], [[], '[]'], [null, 'null'],
    ]) {
        bridge.answer = () => value;
        assert.deepEqual(await ios(store.soupExists, {}), [null, value]);
        assert.deepEqual(await android(texts.soupExists, {}), { text });
    }
}));

test('a status that does not exist is null', withClient(async (kit, bridge) => {
    bridge.answer = () => ({});
    const { ios: { SFMobileSyncReactBridge: syncs }, android: { MobileSyncReactBridge: texts } } = kit.nativeModules;
    assert.deepEqual(await ios(syncs.getSyncStatus, { syncId: 1 }), [null, null]);
    assert.deepEqual(await android(texts.getSyncStatus, { syncId: 1 }), { text: 'null' });
}));

for (const action of ['syncDown', 'syncUp', 'reSync']) {
    for (const status of ['DONE', 'FAILED', 'STOPPED']) {
        test(`${action} answers once, when the sync ends with ${status}`, withClient(async (kit, bridge) => {
            const args = { isGlobalStore: true, storeName: 's', soupName: 'a', target: {}, options: {} };
            const row = (state) => syncRow(1, state, { isGlobalStore: true, storeName: 's' });
            const outcomes = [];
            bridge.answer = () => {
                // The row of a start has no store.
                const { isGlobalStore, storeName, ...start } = row('RUNNING');
                return start;
            };
            kit.nativeModules.ios.SFMobileSyncReactBridge[action](args, (...outcome) => outcomes.push(outcome));
            await until(() => bridge.calls.length === 1);
            for (const other of [row('RUNNING'), syncRow(2, 'DONE'), syncRow(1, 'DONE')]) {
                bridge.event(kit.session, other);
            }
            await idle();
            assert.deepEqual(outcomes, [], 'neither progress nor another sync is an answer');
            bridge.event(kit.session, row(status));
            await until(() => outcomes.length > 0);
            bridge.event(kit.session, row(status));
            await idle();
            const message = status === 'STOPPED' ? 'Sync stopped' : 'Sync failed';
            assert.deepEqual(outcomes,
                [status === 'DONE' ? [null, row('DONE')] : [{ message, userInfo: row(status) }]]);

            const answer = android(kit.nativeModules.android.MobileSyncReactBridge[action], args);
            await until(() => bridge.calls.length === 2);
            bridge.event(kit.session, row(status));
            const { text, error } = await answer;
            assert.deepEqual(JSON.parse(status === 'DONE' ? text : error), row(status));
        }));
    }
}

test('a sync that ends before its start is answered is answered', withBridge(async (bridge) => {
    const observer = observeStreams();
    const kit = await bridge.connect();
    try {
        bridge.answer = async ({ session }) => {
            bridge.event(session, syncRow(1, 'DONE'));
            await until(() => observer.count === 1);
            await idle();
            return syncRow(1, 'RUNNING');
        };
        assert.deepEqual(await ios(kit.nativeModules.ios.SFMobileSyncReactBridge.reSync, { syncId: 1 }),
            [null, syncRow(1, 'DONE')]);
    } finally {
        kit.close();
        observer.stop();
    }
}));

test('a sync is answered if the connection is lost or closed', withClient(async (kit, bridge) => {
    bridge.answer = ({ action }) => (action === 'reSync' ? syncRow(1, 'RUNNING') : {});
    const { reSync } = kit.nativeModules.ios.SFMobileSyncReactBridge;
    const lost = ios(reSync, { syncId: 1 });
    await until(() => bridge.calls.length === 1);
    await idle();
    bridge.drop();
    const [error] = await lost;
    assert.equal(error.message, 'Sync failed');
    assert.equal(error.userInfo.error, 'soupkit: the sync no longer exists');

    const closed = ios(reSync, { syncId: 1 });
    await until(() => bridge.last.action === 'reSync' && bridge.calls.length > 2);
    await idle();
    kit.close();
    assert.match((await closed)[0].userInfo.error, /the client is closed/);
}));

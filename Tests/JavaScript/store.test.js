// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { test } = require('node:test');
const { VERSION, STORE } = require('./support/fake-bridge.js');
const { withClient, outcome, rejection } = require('./support/fixture.js');

const SPECS = [{ path: 'Name', type: 'string' }];
const ENTRIES = [{ Name: 'Ada' }];
const QUERY = { queryType: 'exact', indexPath: 'Id', matchKey: 1, order: 'ascending', orderPath: 'Id', pageSize: 5 };
const SMART = { queryType: 'smart', smartSql: 'SELECT count(*) FROM {a}', pageSize: 1 };
const CURSOR = { cursorId: 'c7', currentPageIndex: 1, totalPages: 3, totalEntries: 5, pageSize: 2 };

/** The functions with a store: name, arguments, action, and the object of the call. */
const FUNCTIONS = [
    ['registerSoup', ['a', SPECS], 'pgRegisterSoup', { soupName: 'a', indexes: SPECS }],
    ['soupExists', ['a'], 'pgSoupExists', { soupName: 'a' }],
    ['removeSoup', ['a'], 'pgRemoveSoup', { soupName: 'a' }],
    ['clearSoup', ['a'], 'pgClearSoup', { soupName: 'a' }],
    ['getSoupIndexSpecs', ['a'], 'pgGetSoupIndexSpecs', { soupName: 'a' }],
    ['alterSoup', ['a', SPECS, true], 'pgAlterSoup', { soupName: 'a', indexes: SPECS, reIndexData: true }],
    ['reIndexSoup', ['a', ['Name']], 'pgReIndexSoup', { soupName: 'a', paths: ['Name'] }],
    ['upsertSoupEntries', ['a', ENTRIES], 'pgUpsertSoupEntries',
        { soupName: 'a', entries: ENTRIES, externalIdPath: '_soupEntryId' }],
    ['upsertSoupEntriesWithExternalId', ['a', ENTRIES, 'Id'], 'pgUpsertSoupEntries',
        { soupName: 'a', entries: ENTRIES, externalIdPath: 'Id' }],
    ['retrieveSoupEntries', ['a', [2, 1]], 'pgRetrieveSoupEntries', { soupName: 'a', entryIds: [2, 1] }],
    ['removeFromSoup', ['a', [2, 1]], 'pgRemoveFromSoup', { soupName: 'a', entryIds: [2, 1] }],
    ['removeFromSoup', ['a', QUERY], 'pgRemoveFromSoup', { soupName: 'a', querySpec: QUERY }],
    ['querySoup', ['a', QUERY], 'pgQuerySoup', { soupName: 'a', querySpec: QUERY }],
    ['runSmartQuery', [SMART], 'pgRunSmartQuery', { querySpec: SMART }],
    ['moveCursorToPageIndex', [CURSOR, 0], 'pgMoveCursorToPageIndex', { cursorId: 'c7', index: 0 }],
    ['moveCursorToNextPage', [CURSOR], 'pgMoveCursorToPageIndex', { cursorId: 'c7', index: 2 }],
    ['moveCursorToPreviousPage', [CURSOR], 'pgMoveCursorToPageIndex', { cursorId: 'c7', index: 0 }],
    ['closeCursor', [CURSOR], 'pgCloseCursor', { cursorId: 'c7' }],
    ['getDatabaseSize', [], 'pgGetDatabaseSize', {}],
    ['showInspector', [], 'pgShowInspector', {}],
    ['removeStore', [], 'pgRemoveStore', {}],
];
const LISTS = [
    ['getAllStores', 'pgGetAllStores'], ['getAllGlobalStores', 'pgGetAllGlobalStores'],
    ['removeAllStores', 'pgRemoveAllStores'], ['removeAllGlobalStores', 'pgRemoveAllGlobalStores'],
];

/** The store in the first place, and its keys in the call. */
const STORES = [
    [[], { isGlobalStore: false }],
    [[false], { isGlobalStore: false }],
    [[true], { isGlobalStore: true }],
    [[{ isGlobalStore: true }], { isGlobalStore: true }],
    [[{ isGlobalStore: true, storeName: 's' }], { isGlobalStore: true, storeName: 's' }],
    [[{ isGlobalStore: false, storeName: null }], { isGlobalStore: false, storeName: null }],
];

function assertCall(call, action, object) {
    assert.deepEqual(
        { service: call.service, action: call.action, args: call.args },
        { service: STORE, action, args: [VERSION, object] });
}

for (const [name, given, action, object] of FUNCTIONS) {
    test(`${name} sends ${action} for each form of the store`, withClient(async (kit, bridge) => {
        for (const [store, keys] of STORES) {
            assert.deepEqual(await outcome((ok, fail) => kit.smartstore[name](...store, ...given, ok, fail)),
                { value: 'OK' });
            assertCall(bridge.last, action, { ...object, ...keys });
        }
    }));

    test(`${name} (${given.length}) returns promises`, withClient(async (kit, bridge) => {
        for (const functions of [kit.smartstore, kit.smartstoreClient]) {
            assert.equal(await functions[name](...given), 'OK');
            assertCall(bridge.last, action, { ...object, isGlobalStore: false });
            bridge.answer = () => { throw 'it failed'; };
            assert.equal(await rejection(functions[name](true, ...given)), 'it failed');
            assertCall(bridge.last, action, { ...object, isGlobalStore: true });
            bridge.answer = () => 'OK';
        }
    }));
}

for (const [name, action] of LISTS) {
    test(`${name} sends an empty object`, withClient(async (kit, bridge) => {
        bridge.answer = () => [{ storeName: 's', isGlobalStore: true }];
        const { value } = await outcome((ok, fail) => kit.smartstore[name](ok, fail));
        assert.deepEqual(value, [{ storeName: 's', isGlobalStore: true }]);
        assertCall(bridge.last, action, {});
        assert.deepEqual(await kit.smartstoreClient[name](), value);
        assert.deepEqual(await kit.smartstore[name](), value);
    }));
}

test('an object without isGlobalStore is not a store', withClient(async (kit, bridge) => {
    await kit.smartstore.registerSoup({ storeName: 's' }, 'a');
    assertCall(bridge.last, 'pgRegisterSoup', { isGlobalStore: false, soupName: { storeName: 's' }, indexes: 'a' });
}));

test('the error callback gets the error value', withClient(async (kit, bridge) => {
    bridge.answer = () => { throw 'there is no soup "a"'; };
    assert.deepEqual(await outcome((ok, fail) => kit.smartstore.soupExists('a', ok, fail)),
        { error: 'there is no soup "a"' });
}));

test('a missing cursor is an error of the call', withClient(async (kit, bridge) => {
    for (const name of ['moveCursorToNextPage', 'moveCursorToPreviousPage', 'closeCursor', 'moveCursorToPageIndex']) {
        assert.match((await rejection(kit.smartstore[name](null))).message, /^cursor is missing/, name);
    }
    assert.deepEqual(bridge.calls, []);
}));

test('a promise in the place of a value is refused', withClient(async (kit, bridge) => {
    const saved = Promise.resolve({ Name: 'A' });
    assert.match((await outcome((ok, fail) => kit.smartstore.upsertSoupEntries('a', saved, ok, fail))).error.message,
        /^entries is a promise or contains one/);
    await assert.rejects(kit.smartstoreClient.upsertSoupEntries('a', [{}, saved]), /^Error: entries is a promise/);
    await assert.rejects(kit.forceClient.create('Account', saved), /^Error: fields is a promise/);
    assert.deepEqual(bridge.calls, []);
}));

test('missing callbacks are legal', withClient(async (kit, bridge) => {
    const unhandled = [];
    const listen = (error) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    bridge.answer = ({ action }) => {
        if (action === 'pgClearSoup') throw 'it failed';
        return 'OK';
    };
    kit.smartstore.clearSoup('a');
    kit.smartstore.clearSoup('a', () => assert.fail('the call failed'));
    kit.smartstore.clearSoup('a', null, null);
    await kit.smartstore.soupExists('a', null, null);
    await new Promise((resolve) => kit.smartstore.clearSoup('a', null, resolve));
    process.off('unhandledRejection', listen);
    assert.deepEqual(unhandled, []);
}));

test('the error of a callback is not swallowed', async () => {
    const script = `
        const { FakeBridge } = require('./support/fake-bridge.js');
        FakeBridge.start().then(async (bridge) => {
            const kit = await bridge.connect();
            kit.smartstore.soupExists('a', () => { throw new Error('from the callback'); }, () => process.exit(0));
        });`;
    const { error, output } = await new Promise((resolve) => {
        execFile(process.execPath, ['-e', script], { cwd: __dirname },
            (error, stdout, stderr) => resolve({ error, output: stderr }));
    });
    assert.equal(error && error.code, 1);
    assert.match(output, /from the callback/);
});

test('querySoup sorts by the index path if the order path is missing', withClient(async (kit, bridge) => {
    const sent = async (spec) => {
        await kit.smartstore.querySoup('a', spec);
        return bridge.last.args[1].querySpec;
    };
    const spec = { queryType: 'range', indexPath: 'Name', order: 'descending', pageSize: 3 };
    assert.deepEqual(await sent(spec), { ...spec, orderPath: 'Name' });
    assert.equal('orderPath' in spec, false, 'the spec of the caller is unchanged');
    assert.equal((await sent({ ...spec, orderPath: 'Id' })).orderPath, 'Id');
    assert.equal((await sent({ ...spec, order: null, orderPath: null })).orderPath, null);
}));

test('querySoup and runSmartQuery throw for specs of the other kind', withClient(async (kit, bridge) => {
    const fail = () => assert.fail('no callback is called');
    assert.throws(() => kit.smartstore.querySoup('a', SMART, fail, fail),
        { message: 'Smart queries can only be run using runSmartQuery' });
    assert.throws(() => kit.smartstore.runSmartQuery(QUERY, fail, fail),
        { message: 'runSmartQuery can only run smart queries' });
    assert.match((await rejection(kit.smartstoreClient.querySoup(true, 'a', SMART))).message, /^Smart queries/);
    assert.match((await rejection(kit.smartstoreClient.runSmartQuery(QUERY))).message, /^runSmartQuery/);
    assert.deepEqual(bridge.calls, []);
}));

test('a page outside the cursor is an error without a call', withClient(async (kit, bridge) => {
    const first = { ...CURSOR, currentPageIndex: 0 };
    const last = { ...CURSOR, currentPageIndex: 2 };
    const empty = { ...CURSOR, currentPageIndex: 0, totalPages: 0 };
    for (const [name, cursor] of [
        ['moveCursorToNextPage', last], ['moveCursorToNextPage', empty],
        ['moveCursorToPreviousPage', first], ['moveCursorToPreviousPage', empty],
    ]) {
        const { error } = await outcome((ok, fail) => kit.smartstore[name](cursor, ok, fail));
        assert.ok(error instanceof Error);
        assert.ok(error.message.startsWith(name), error.message);
        assert.ok((await rejection(kit.smartstoreClient[name](false, cursor))).message.startsWith(name));
    }
    assert.deepEqual(bridge.calls, []);
}));

test('a page is the object of the answer', withClient(async (kit, bridge) => {
    const page = { ...CURSOR, currentPageIndex: 2, currentPageOrderedEntries: [['x', 1]] };
    bridge.answer = () => page;
    assert.deepEqual(await kit.smartstore.moveCursorToNextPage(CURSOR), page);
    assert.equal(CURSOR.currentPageIndex, 1, 'the cursor of the caller is unchanged');
}));

const DEFAULTS = {
    queryType: 'exact', indexPath: null, matchKey: null, likeKey: null, beginKey: null, endKey: null, smartSql: null,
    orderPath: null, order: 'ascending', pageSize: 10, selectPaths: null,
};
/** Builder, arguments, and the members that differ from the defaults. */
const SPECS_BUILT = [
    ['buildAllQuerySpec', ['Id'], { queryType: 'range', indexPath: 'Id', orderPath: 'Id' }],
    ['buildAllQuerySpec', ['Id', 'descending', 3, ['Name']], { queryType: 'range', indexPath: 'Id', orderPath: 'Id',
        order: 'descending', pageSize: 3, selectPaths: ['Name'] }],
    ['buildAllQuerySpec', ['Id', null, 3], { queryType: 'range', indexPath: 'Id', orderPath: 'Id', pageSize: 3 }],
    ['buildExactQuerySpec', ['Id', 7], { indexPath: 'Id', matchKey: 7, orderPath: 'Id' }],
    ['buildExactQuerySpec', ['Id', false, 3, 'descending', 'Name', ['Id']], { indexPath: 'Id', matchKey: false,
        pageSize: 3, order: 'descending', orderPath: 'Name', selectPaths: ['Id'] }],
    ['buildRangeQuerySpec', ['n', 10, null], { queryType: 'range', indexPath: 'n', beginKey: 10, orderPath: 'n' }],
    ['buildRangeQuerySpec', ['n', null, 100, 'descending', 3, 'Name', ['n', 'n']], { queryType: 'range',
        indexPath: 'n', endKey: 100, order: 'descending', pageSize: 3, orderPath: 'Name', selectPaths: ['n', 'n'] }],
    ['buildLikeQuerySpec', ['n', '%bo%'], { queryType: 'like', indexPath: 'n', likeKey: '%bo%', orderPath: 'n' }],
    ['buildLikeQuerySpec', ['n', 'a%', 'descending', 3, 'Id', ['n']], { queryType: 'like', indexPath: 'n',
        likeKey: 'a%', order: 'descending', pageSize: 3, orderPath: 'Id', selectPaths: ['n'] }],
    ['buildMatchQuerySpec', [null, 'gr*'], { queryType: 'match', matchKey: 'gr*' }],
    ['buildMatchQuerySpec', ['n', 'black NOT tabby', 'descending', 3, 'Id', ['n']], { queryType: 'match',
        indexPath: 'n', matchKey: 'black NOT tabby', order: 'descending', pageSize: 3, orderPath: 'Id',
        selectPaths: ['n'] }],
    ['buildSmartQuerySpec', ['SELECT 1'], { queryType: 'smart', smartSql: 'SELECT 1' }],
    ['buildSmartQuerySpec', ['SELECT 1', 3], { queryType: 'smart', smartSql: 'SELECT 1', pageSize: 3 }],
];

for (const [name, given, members] of SPECS_BUILT) {
    test(`${name}(${JSON.stringify(given).slice(1, -1)})`, withClient(async (kit) => {
        for (const functions of [kit.smartstore, kit.smartstoreClient]) {
            const spec = functions[name](...given);
            assert.ok(spec instanceof functions.QuerySpec);
            assert.deepEqual({ ...spec }, { ...DEFAULTS, ...members });
        }
    }));
}

test('the constructors have the members of the libraries', withClient(async (kit) => {
    const { QuerySpec, SoupIndexSpec, StoreCursor } = kit.smartstore;
    assert.deepEqual({ ...new QuerySpec('Id') }, { ...DEFAULTS, indexPath: 'Id' });
    assert.deepEqual({ ...new SoupIndexSpec('Id', 'string') }, { path: 'Id', type: 'string' });
    assert.deepEqual(Object.keys(new StoreCursor()), [
        'cursorId', 'pageSize', 'totalEntries', 'totalPages', 'currentPageIndex', 'currentPageOrderedEntries',
    ]);
}));

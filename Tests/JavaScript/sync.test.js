// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { VERSION, SYNC, syncRow } = require('./support/fake-bridge.js');
const { withClient, outcome, rejection } = require('./support/fixture.js');

const TARGET = { type: 'soql', query: 'SELECT Id FROM Account' };
const OPTIONS = { mergeMode: 'OVERWRITE' };
const FIELDS = { fieldlist: ['Name'], mergeMode: 'LEAVE_IF_CHANGED' };

const down = (syncName) => ({ syncName, target: TARGET, soupName: 'a', options: OPTIONS });
const up = (target, syncName) => ({ syncName, target, soupName: 'a', options: FIELDS });

/** Name, arguments before the callbacks, and the object of the call. */
const FUNCTIONS = [
    ['syncDown', [TARGET, 'a', OPTIONS], down(null)],
    ['syncDown', [TARGET, 'a', OPTIONS, 'downAccounts'], down('downAccounts')],
    ['syncDown', [TARGET, 'a', OPTIONS, null], down(null)],
    ['syncUp', ['a', FIELDS], up({}, null)],
    ['syncUp', ['a', FIELDS, 'upAccounts'], up({}, 'upAccounts')],
    ['syncUp', [null, 'a', FIELDS], up({}, null)],
    ['syncUp', [{ createFieldlist: ['Id'] }, 'a', FIELDS, 'upAccounts'], up({ createFieldlist: ['Id'] }, 'upAccounts')],
    ['reSync', [7], { syncId: 7, syncName: null }],
    ['reSync', ['downAccounts'], { syncId: null, syncName: 'downAccounts' }],
    ['getSyncStatus', [7], { syncId: 7, syncName: null }],
    ['getSyncStatus', ['downAccounts'], { syncId: null, syncName: 'downAccounts' }],
    ['deleteSync', [7], { syncId: 7, syncName: null }],
    ['deleteSync', ['downAccounts'], { syncId: null, syncName: 'downAccounts' }],
    ['cleanResyncGhosts', [7], { syncId: 7 }],
    ['cleanResyncGhosts', ['downAccounts'], { syncId: null, syncName: 'downAccounts' }],
];
const STORES = [
    [[], { isGlobalStore: false }],
    [[true], { isGlobalStore: true }],
    [[{ isGlobalStore: true, storeName: 's' }], { isGlobalStore: true, storeName: 's' }],
];

for (const [name, given, object] of FUNCTIONS) {
    test(`${name}(${JSON.stringify(given).slice(1, -1)})`, withClient(async (kit, bridge) => {
        const row = syncRow(7, 'RUNNING');
        bridge.answer = () => row;
        for (const [store, keys] of STORES) {
            const args = [VERSION, { ...object, ...keys }];
            const expected = { service: SYNC, action: name, args };
            for (const call of [
                () => outcome((ok, fail) => kit.mobilesync[name](...store, ...given, ok, fail)),
                async () => ({ value: await kit.mobilesync[name](...store, ...given) }),
                async () => ({ value: await kit.mobilesyncClient[name](...store, ...given) }),
            ]) {
                assert.deepEqual(await call(), { value: row });
                const { service, action, args: sent } = bridge.last;
                assert.deepEqual({ service, action, args: sent }, expected);
            }
        }
        bridge.answer = () => { throw 'there is no such sync'; };
        assert.deepEqual(await outcome((ok, fail) => kit.mobilesync[name](...given, ok, fail)),
            { error: 'there is no such sync' });
        assert.equal(await rejection(kit.mobilesyncClient[name](...given)), 'there is no such sync');
    }));
}

test('a status that does not exist is null', withClient(async (kit, bridge) => {
    bridge.answer = () => ({});
    assert.equal(await kit.mobilesync.getSyncStatus(7), null);
    assert.deepEqual(await outcome((ok, fail) => kit.mobilesync.getSyncStatus('x', ok, fail)), { value: null });
}));

test('an answer without a value is undefined', withClient(async (kit, bridge) => {
    bridge.answer = () => undefined;
    assert.equal(await kit.mobilesync.deleteSync(7), undefined);
    assert.deepEqual(await outcome((ok, fail) => kit.mobilesync.deleteSync(7, ok, fail)), { value: undefined });
}));

test('the number of removed ghosts is the value', withClient(async (kit, bridge) => {
    bridge.answer = () => 3;
    assert.equal(await kit.mobilesync.cleanResyncGhosts(true, 7), 3);
}));

test('the merge modes have their names', withClient(async (kit) => {
    for (const functions of [kit.mobilesync, kit.mobilesyncClient]) {
        assert.deepEqual(functions.MERGE_MODE, { OVERWRITE: 'OVERWRITE', LEAVE_IF_CHANGED: 'LEAVE_IF_CHANGED' });
    }
}));

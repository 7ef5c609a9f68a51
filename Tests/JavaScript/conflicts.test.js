// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { VERSION } = require('./support/fake-bridge.js');
const { withClient, rejection } = require('./support/fixture.js');

const STORE = { isGlobalStore: false };

for (const [name, given, action, sent] of [
    ['list', [], 'list', {}],
    ['list', ['a'], 'list', { soupName: 'a' }],
    ['list', [true, 'a'], 'list', { soupName: 'a', isGlobalStore: true }],
    ['resolve', ['a', 7, 'local'], 'resolve', { soupName: 'a', entryId: 7, as: 'local' }],
    ['resolve', ['a', 7, 'remote'], 'resolve', { soupName: 'a', entryId: 7, as: 'remote' }],
    ['resolve', ['a', 7, { Name: 'x' }], 'resolve', { soupName: 'a', entryId: 7, as: 'merged', record: { Name: 'x' } }],
    ['discard', ['a', [7, 8]], 'discard', { soupName: 'a', entryIds: [7, 8] }],
]) {
    test(`conflicts.${name}(${JSON.stringify(given).slice(1, -1)})`, withClient(async (kit, bridge) => {
        for (const functions of [kit.conflicts, kit.conflictsClient]) {
            assert.equal(await functions[name](...given), 'OK');
            const { service, action: called, args } = bridge.last;
            assert.deepEqual([service, called, args], ['soupkit.conflicts', action, [VERSION, { ...STORE, ...sent }]]);
        }
    }));
}

test('a version that does not exist is an error without a call', withClient(async (kit, bridge) => {
    const calls = bridge.calls.length;
    for (const version of ['lokal', undefined, 7]) {
        const error = await rejection(kit.conflicts.resolve('a', 7, version));
        assert.match(error.message, /^version must be 'local', 'remote'/);
    }
    assert.equal(bridge.calls.length, calls);
}));

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { reply, until } = require('./support/fake-bridge.js');
const { withClient } = require('./support/fixture.js');

const TEXT = '{"ok":[{"a":9007199254740993,"b":-9007199254740993,"c":9007199254740991,"d":"9007199254740993",'
    + '"e":"\\"x\\\\","9007199254740993":1.2345678901234567890,"f":1e400,"g":12345678901234567890e-3,'
    + '"h":[9007199254740993]}]}';

test('large integers are BigInt on request', withClient(async (kit, bridge) => {
    bridge.answer = () => reply(200, TEXT);
    const [entry] = await kit.smartstore.retrieveSoupEntries('a', [1]);
    assert.deepEqual(entry, {
        a: 9007199254740993n, b: -9007199254740993n, c: 9007199254740991, d: '9007199254740993', e: '"x\\',
        '9007199254740993': 1.2345678901234567890, f: Infinity, g: 12345678901234567890e-3, h: [9007199254740993n],
    });
    const events = [];
    kit.addEventListener('sync', ({ detail }) => events.push(detail));
    bridge.raw(kit.session, 'event: sync\ndata: {"maxTimeStamp": 9007199254740993}\n\n');
    await until(() => events.length > 0);
    assert.deepEqual(events, [{ maxTimeStamp: 9007199254740993n }]);
}, { bigIntegers: true }));

test('large integers are sent with all digits', withClient(async (kit, bridge) => {
    await kit.smartstore.upsertSoupEntries('a', [{ a: 9007199254740993n, b: -1n, c: [{ d: 2n ** 70n }], e: '1' }]);
    const entries = '"entries":[{"a":9007199254740993,"b":-1,"c":[{"d":1180591620717411303424}],"e":"1"}]';
    assert.ok(bridge.last.body.includes(entries), bridge.last.body);
}));

test('rounding large integers is reported once', withClient(async (kit, bridge) => {
    const warn = console.warn;
    const warnings = [];
    console.warn = (text) => warnings.push(text);
    try {
        bridge.answer = () => reply(200, '{"ok":[{"a":"9007199254740993","b":1700000000000000}]}');
        await kit.smartstore.retrieveSoupEntries('a', [1]);
        assert.deepEqual(warnings, []);
        bridge.answer = () => reply(200, TEXT);
        const [entry] = await kit.smartstore.retrieveSoupEntries('a', [1]);
        assert.equal(entry.a, 9007199254740992);
        await kit.smartstore.retrieveSoupEntries('a', [1]);
        assert.equal(warnings.length, 1);
        assert.match(warnings[0], /^soupkit: the integer -?9007199254740993 is rounded to -?9007199254740992\./);
    } finally {
        console.warn = warn;
    }
}));

test('a text of several megabytes with digits can be read', withClient(async (kit, bridge) => {
    const text = `${'9'.repeat(100)}\\"`.repeat(100000);
    bridge.answer = () => reply(200, `{"ok":[{"text":"${text}","n":9007199254740993}]}`);
    const [entry] = await kit.smartstore.retrieveSoupEntries('a', [1]);
    assert.equal(entry.text.length, 10100000);
    assert.equal(entry.n, 9007199254740993n);
}, { bigIntegers: true }));

test('a text with millions of escapes beside a large integer can be read', withClient(async (kit, bridge) => {
    bridge.answer = () => reply(200, `{"ok":[{"text":"${'\\n'.repeat(4_000_000)}\\"1","n":9007199254740993}]}`);
    const [entry] = await kit.smartstore.retrieveSoupEntries('a', [1]);
    assert.equal(entry.text.length, 4_000_002);
    assert.equal(entry.n, 9007199254740993n);
}, { bigIntegers: true }));

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { VERSION, SYNC, STORE, gate, idle, until, syncRow, soupkit } = require('./support/fake-bridge.js');
const { rejection } = require('./support/fixture.js');

/** Runs a test with the message handler of a web view. */
function withHandler(body, options = {}) {
    return async () => {
        const handler = { calls: [], texts: [], answer: () => ({ ok: 'OK' }) };
        handler.postMessage = async (text) => {
            const call = JSON.parse(text);
            handler.texts.push(text);
            handler.calls.push(call);
            const answer = await handler.answer(call);
            return typeof answer === 'string' ? answer : JSON.stringify(answer);
        };
        globalThis.webkit = { messageHandlers: { soupkit: handler } };
        const kit = await soupkit.connect(options);
        try {
            await body(kit, handler);
        } finally {
            kit.close();
            delete globalThis.webkit;
        }
    };
}

test('calls go to the message handler', withHandler(async (kit, handler) => {
    assert.equal(await kit.smartstore.clearSoup('a'), 'OK');
    assert.deepEqual(handler.calls, [
        { service: STORE, action: 'pgClearSoup', args: [VERSION, { soupName: 'a', isGlobalStore: false }] },
    ]);
    assert.equal('storeName' in handler.calls[0].args[1], false, 'a missing value is absent');
    handler.answer = () => ({ error: 'it failed' });
    assert.equal(await rejection(kit.smartstore.clearSoup('a')), 'it failed');
}));

test('bad answers of the message handler are errors', withHandler(async (kit, handler) => {
    for (const answer of ['null', '"text"', '{}', '[]']) {
        handler.answer = () => answer;
        assert.match(await rejection(kit.smartstore.clearSoup('a')), /^soupkit: .*neither "ok" nor "error"/);
    }
    handler.answer = () => '<html>';
    assert.match(await rejection(kit.smartstore.clearSoup('a')), /^soupkit: .*not JSON: <html>/);
    handler.answer = () => { throw new Error('no handler'); };
    assert.equal(await rejection(kit.smartstore.clearSoup('a')), 'soupkit: no handler');
}));

test('large integers keep their digits in a web view', withHandler(async (kit, handler) => {
    handler.answer = () => '{"ok":[{"n":9223372036854775807}]}';
    const [saved] = await kit.smartstore.upsertSoupEntries('a', [{ n: 9223372036854775807n, at: new Date(0) }]);
    assert.equal(saved.n, 9223372036854775807n);
    assert.match(handler.texts[0], /"n":9223372036854775807,"at":"1970-01-01T00:00:00.000Z"/);
}, { bigIntegers: true }));

test('events wait for the answer', withHandler(async (kit, handler) => {
    const answered = gate();
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(detail.status));
    handler.answer = () => answered.promise;
    const starting = kit.mobilesync.reSync(1);
    await until(() => handler.calls.length === 1);
    soupkit.receive(syncRow(1, 'RUNNING'));
    soupkit.receive(JSON.stringify(syncRow(1, 'DONE')));
    await idle();
    assert.deepEqual(log, []);
    answered.open({ ok: syncRow(1, 'RUNNING') });
    await starting;
    assert.deepEqual(log, []);
    await until(() => log.length === 2);
    assert.deepEqual(log, ['RUNNING', 'DONE']);
}));

test('an event waits for a start that begins after it has arrived', withHandler(async (kit, handler) => {
    const answered = gate();
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(detail._soupEntryId));
    handler.answer = () => ({ ok: syncRow(1, 'RUNNING') });
    await kit.mobilesync.reSync(1);
    handler.answer = () => answered.promise;
    soupkit.receive(syncRow(1, 'DONE'));
    const starting = kit.mobilesync.reSync(2);
    await idle();
    assert.deepEqual(log, []);
    answered.open({ ok: syncRow(2, 'RUNNING') });
    await starting;
    await until(() => log.length === 1);
}));

test('an event that has arrived is not dispatched after close', withHandler(async (kit, handler) => {
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(detail.status));
    handler.answer = () => ({ ok: syncRow(1, 'RUNNING') });
    await kit.mobilesync.reSync(1);
    soupkit.receive(syncRow(1, 'DONE'));
    kit.close();
    await idle();
    assert.deepEqual(log, []);
}));

test('an answer after close is an error', withHandler(async (kit, handler) => {
    const answered = gate();
    handler.answer = () => answered.promise;
    const starting = rejection(kit.mobilesync.reSync(1));
    await until(() => handler.calls.length === 1);
    kit.close();
    answered.open({ ok: syncRow(1, 'RUNNING') });
    assert.equal(await starting, 'soupkit: the client is closed. Connect again.');
}));

test('clients of a page ignore the syncs of each other', withHandler(async (kit, handler) => {
    const other = await soupkit.connect();
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(`first ${detail._soupEntryId}`));
    other.addEventListener('sync', ({ detail }) => log.push(`second ${detail._soupEntryId}`));
    handler.answer = ({ service, args }) => {
        assert.equal(service, SYNC);
        return { ok: syncRow(args[1].syncId, 'RUNNING') };
    };
    await kit.mobilesync.reSync(1);
    await other.mobilesync.reSync(2);
    for (const id of [1, 2, 3]) soupkit.receive(syncRow(id, 'DONE'));
    await until(() => log.length >= 2);
    await idle();
    assert.deepEqual(log.sort(), ['first 1', 'second 2']);
    other.close();
}));

test('a client without a message handler needs a URL', async () => {
    assert.match((await rejection(soupkit.connect())).message, /^soupkit: url is missing/);
});

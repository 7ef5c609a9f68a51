// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { gate, idle, until, observeStreams, syncRow } = require('./support/fake-bridge.js');
const { withClient, withBridge, rejection } = require('./support/fixture.js');

const TARGET = { type: 'soql', query: 'SELECT Id FROM Account' };

/** Makes the bridge send the events of each sync, and answer only after the client has read them. */
function answerAfterEvents(bridge, observer, statuses) {
    let id = 0;
    bridge.answer = async ({ session, args }) => {
        id += 1;
        const row = (status) => syncRow(id, status, { isGlobalStore: args[1].isGlobalStore });
        const expected = observer.count + statuses.length;
        for (const status of statuses) bridge.event(session, row(status));
        await until(() => observer.count >= expected);
        await idle();
        return row('RUNNING');
    };
}

for (const [name, start] of [
    ['syncDown', (kit) => kit.mobilesync.syncDown(TARGET, 'a', {})],
    ['syncUp', (kit) => kit.mobilesync.syncUp('a', {})],
    ['reSync', (kit) => kit.mobilesync.reSync(1)],
    ['cordova.exec', (kit) => new Promise((resolve, reject) => {
        kit.cordova.require('cordova/exec')(resolve, reject, 'com.salesforce.mobilesync', 'reSync',
            ['pluginSDKVersion:14.0.0', { syncId: 1, syncName: null, isGlobalStore: false }]);
    })],
]) {
    test(`events do not overtake the answer of ${name}`, withBridge(async (bridge) => {
        const observer = observeStreams();
        const kit = await bridge.connect();
        try {
            answerAfterEvents(bridge, observer, ['RUNNING', 'RUNNING', 'DONE']);
            const early = [];
            kit.addEventListener('sync', ({ detail }) => early.push(detail.status));
            const row = await start(kit);
            assert.equal(row.status, 'RUNNING');
            assert.deepEqual(early, [], 'no event before the answer');
            // The listener of a page, which is added when the promise is fulfilled.
            const late = [];
            await new Promise((resolve) => {
                kit.addEventListener('sync', ({ detail }) => {
                    late.push(detail.status);
                    if (detail.status === 'DONE') resolve();
                });
            });
            assert.deepEqual(late, ['RUNNING', 'RUNNING', 'DONE']);
        } finally {
            kit.close();
            observer.stop();
        }
    }));
}

test('promise callbacks run between two events', withClient(async (kit, bridge) => {
    const log = [];
    const seen = new Promise((resolve) => {
        kit.addEventListener('sync', ({ detail }) => {
            log.push(`event ${detail.progress}`);
            // A chain of promises, as of await in several functions.
            let chain = Promise.resolve();
            for (let step = 0; step < 20; step += 1) chain = chain.then(() => {});
            chain.then(() => log.push(`promises ${detail.progress}`)).then(() => detail.progress === 3 && resolve());
        });
    });
    const events = [1, 2, 3].map((progress) =>
        `event: sync\ndata: ${JSON.stringify(syncRow(1, 'RUNNING', { progress }))}\n\n`);
    bridge.raw(kit.session, events.join(''));
    await seen;
    assert.deepEqual(log, ['event 1', 'promises 1', 'event 2', 'promises 2', 'event 3', 'promises 3']);
}));

test('events wait for a second start', withBridge(async (bridge) => {
    const observer = observeStreams();
    const kit = await bridge.connect();
    try {
        const log = [];
        kit.addEventListener('sync', ({ detail }) => log.push(`${detail._soupEntryId} ${detail.status}`));
        const second = gate();
        bridge.answer = async ({ action }) => {
            if (action === 'syncDown') return syncRow(1, 'RUNNING');
            await second.promise;
            return syncRow(2, 'RUNNING');
        };
        await kit.mobilesync.syncDown(TARGET, 'a', {});
        const starting = kit.mobilesync.reSync(2);
        await until(() => bridge.calls.length === 2);
        bridge.event(kit.session, syncRow(1, 'DONE'));
        bridge.event(kit.session, syncRow(2, 'DONE'));
        await until(() => observer.count === 2);
        await idle();
        assert.deepEqual(log, []);
        second.open();
        await starting;
        assert.deepEqual(log, []);
        await until(() => log.length === 2);
        assert.deepEqual(log, ['1 DONE', '2 DONE']);
    } finally {
        kit.close();
        observer.stop();
    }
}));

test('events arrive after a start that failed', withClient(async (kit, bridge) => {
    bridge.answer = () => { throw 'a sync has this name already'; };
    assert.equal(await rejection(kit.mobilesync.syncDown(TARGET, 'a', {})), 'a sync has this name already');
    const seen = new Promise((resolve) => kit.addEventListener('sync', resolve));
    bridge.event(kit.session, syncRow(1, 'DONE'));
    assert.equal((await seen).detail.status, 'DONE');
}));

test('two clients have their own sessions and events', withClient(async (kit, bridge) => {
    const other = await bridge.connect();
    try {
        assert.notEqual(kit.session, other.session);
        assert.ok(kit.session.length >= 32);
        const log = [];
        kit.addEventListener('sync', () => log.push('first'));
        other.addEventListener('sync', () => log.push('second'));
        await kit.smartstore.soupExists('a');
        await other.smartstore.soupExists('a');
        assert.deepEqual(bridge.calls.map(({ session }) => session), [kit.session, other.session]);
        assert.deepEqual(bridge.streams.map(({ session, header }) => [session, header]),
            [[kit.session, kit.session], [other.session, other.session]]);
        bridge.event(other.session, syncRow(1, 'DONE'));
        await until(() => log.length > 0);
        await idle();
        assert.deepEqual(log, ['second']);
    } finally {
        other.close();
    }
}));

test('the stream is read as the standard describes', withClient(async (kit, bridge) => {
    const details = [];
    kit.addEventListener('sync', ({ detail }) => details.push(detail));
    const [{ response }] = bridge.streams;
    const parts = [
        ': a comment\n\n', 'event: other\ndata: {"_soupEntryId": 9}\n\n', 'event: sync\n\n',
        'event: sync\r', '\ndata: {"_soupEntryId": 1,\r\ndata: "text": "a\u2028b"}\r\n\r\n',
        'event:sync\rdata:{"_soupEntryId": 2, "text": "\u{1F600}"}\r\rid: 3\nretry: 5\n',
        'event: sync\ndata: {"_soupEntryId": 3}\n\n',
    ];
    // Every boundary between two bytes is a boundary of a chunk.
    for (const byte of Buffer.from(parts.join(''))) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => details.length === 3);
    assert.deepEqual(details, [
        { _soupEntryId: 1, text: 'a\u2028b' }, { _soupEntryId: 2, text: '\u{1F600}' }, { _soupEntryId: 3 },
    ]);
}));

test('no event is dispatched after close', withClient(async (kit, bridge) => {
    const log = [];
    kit.addEventListener('sync', () => log.push('event'));
    bridge.event(kit.session, syncRow(1, 'DONE'));
    kit.close();
    await idle();
    assert.deepEqual(log, []);
    await until(() => bridge.streams.length === 0);
}));

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { reply, gate, idle, until, syncRow, soupkit } = require('./support/fake-bridge.js');
const { withClient, withBridge, outcome, rejection } = require('./support/fixture.js');

const TARGET = { type: 'soql', query: 'SELECT Id FROM Account' };

/** Starts the sync 1, and returns the list of its events. */
async function startSync(kit, bridge) {
    bridge.answer = ({ args }) => syncRow(1, 'RUNNING', { isGlobalStore: args[1].isGlobalStore, storeName: 's' });
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(detail));
    await kit.mobilesync.syncDown({ isGlobalStore: true, storeName: 's' }, TARGET, 'a', {});
    return log;
}

test('the request has the form of the contract', withClient(async (kit, bridge) => {
    await kit.smartstore.soupExists('a');
    const { path, type, session, body } = bridge.last;
    assert.equal(path, 'POST /bridge/exec');
    assert.equal(type, 'application/json');
    assert.equal(session, kit.session);
    assert.deepEqual(JSON.parse(body), {
        service: 'com.salesforce.smartstore', action: 'pgSoupExists',
        args: ['pluginSDKVersion:14.0.0', { soupName: 'a', isGlobalStore: false }],
    });
}));

test('the stream is open before the first call', withBridge(async (bridge) => {
    const order = [];
    bridge.openStream = () => { order.push('stream'); return null; };
    bridge.answer = () => { order.push('call'); return 'OK'; };
    const kit = await bridge.connect();
    await kit.smartstore.soupExists('a');
    kit.close();
    assert.deepEqual(order, ['stream', 'call']);
}));

test('connect reports what is wrong', withBridge(async (bridge) => {
    const connecting = async (options, expected) => {
        const error = await rejection(soupkit.connect(options));
        assert.ok(error instanceof Error);
        assert.match(error.message, expected);
    };
    await connecting({}, /^soupkit: url is missing/);
    await connecting(null, /^soupkit: connect needs an object of options/);
    await connecting({ url: bridge.url }, /^soupkit: secret is missing/);
    await connecting({ url: `${bridge.url}/#hidden`, secret: 'x' }, /^(?!.*hidden).*the secret is wrong/);
    await connecting({ url: bridge.url, secret: 'wrong' }, /status 401: the secret is wrong/);
    bridge.openStream = () => reply(200, '<html>', 'text/html');
    await connecting({ url: bridge.url, secret: bridge.secret }, /sent no event stream/);
    bridge.openStream = () => reply(503, '<html>busy', 'text/html');
    await connecting({ url: bridge.url, secret: bridge.secret }, /status 503, but not with a JSON object: <html>busy/);
    await bridge.stop();
    await connecting({ url: bridge.url, secret: bridge.secret }, /^soupkit: the bridge at .* is not reachable: /);
    await bridge.restart();
}));

test('a bad answer is an error', withClient(async (kit, bridge) => {
    for (const [answer, expected] of [
        [reply(200, '<html>a proxy', 'text/html'), /^soupkit: .*not with a JSON object: <html>a proxy/],
        [reply(200, ''), /^soupkit: .*not with a JSON object/],
        [reply(200, 'null'), /^soupkit: .*not with a JSON object/],
        [reply(200, {}), /^soupkit: .*neither "ok" nor "error"/],
        [reply(400, { error: 'args must be a list' }), /^soupkit: .*status 400: args must be a list/],
        [reply(413, { error: 'too large' }), /^soupkit: .*status 413: too large/],
        [reply(502, 'Bad Gateway', 'text/plain'), /^soupkit: .*status 502, but not with a JSON object: Bad Gateway/],
        [reply(307, '', 'text/plain', { Location: '/bridge/exec' }), /^soupkit: the bridge at .* is not reachable/],
        [reply(0), /^soupkit: the bridge at .* is not reachable/],
    ]) {
        bridge.answer = () => answer;
        const { error } = await outcome((ok, fail) => kit.smartstore.soupExists('a', ok, fail));
        assert.match(error, expected);
        assert.match(await rejection(kit.smartstoreClient.soupExists('a')), expected);
    }
    bridge.answer = () => reply(200, { error: null });
    assert.deepEqual(await outcome((ok, fail) => kit.smartstore.soupExists('a', ok, fail)), { error: null });
}));

test('arguments that are not JSON are an error', withClient(async (kit, bridge) => {
    const cycle = {};
    cycle.self = cycle;
    assert.match(await rejection(kit.smartstore.upsertSoupEntries('a', [cycle])), /^soupkit: .*circular/);
    assert.deepEqual(bridge.calls, []);
}));

test('calls wait while the client connects again', withClient(async (kit, bridge) => {
    const states = [];
    kit.addEventListener('connection', ({ detail }) => states.push(detail.state));
    const opened = gate();
    let attempts = 0;
    bridge.openStream = () => {
        attempts += 1;
        return attempts === 1 ? reply(503, { error: 'not yet' }) : null;
    };
    bridge.drop();
    await until(() => states.includes('interrupted'));
    kit.smartstore.soupExists('a').then(opened.open);
    await opened.promise;
    assert.equal(attempts, 2);
    assert.deepEqual(states, ['interrupted', 'open']);
}));

test('syncs are followed after the stream was lost', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    const states = [
        { status: 'RUNNING', progress: 0 }, { status: 'RUNNING', progress: 40 }, { status: 'RUNNING', progress: 40 },
        { status: 'STOPPED', progress: 40 },
    ];
    bridge.answer = () => syncRow(1, 'RUNNING', { isGlobalStore: true, storeName: 's', ...states.shift() });
    bridge.drop();
    await until(() => log.some(({ status }) => status === 'STOPPED'));
    assert.deepEqual(log.map(({ status, progress }) => [status, progress]),
        [['RUNNING', 0], ['RUNNING', 40], ['STOPPED', 40]]);
    assert.deepEqual(states, []);
    const { action, args } = bridge.last;
    assert.deepEqual([action, args[1]],
        ['getSyncStatus', { syncId: 1, syncName: null, isGlobalStore: true, storeName: 's' }]);
    // The bridge may have kept the session, and may send the same state.
    bridge.event(kit.session, syncRow(1, 'STOPPED', { isGlobalStore: true, storeName: 's' }));
    bridge.event(kit.session, syncRow(2, 'RUNNING'));
    await until(() => log.some(({ _soupEntryId: id }) => id === 2));
    assert.equal(log.filter(({ status }) => status === 'STOPPED').length, 1);
    // Another run of the same sync has events again.
    bridge.answer = () => syncRow(1, 'RUNNING', { isGlobalStore: true, storeName: 's' });
    await kit.mobilesync.reSync({ isGlobalStore: true, storeName: 's' }, 1);
    bridge.event(kit.session, syncRow(1, 'DONE', { isGlobalStore: true, storeName: 's' }));
    await until(() => log.some(({ status }) => status === 'DONE'));
}));

test('events of the next run are kept if they arrive before its answer', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    bridge.answer = () => syncRow(1, 'STOPPED', { isGlobalStore: true, storeName: 's' });
    bridge.drop();
    await until(() => log.some(({ status }) => status === 'STOPPED'));
    bridge.answer = async () => {
        bridge.event(kit.session, syncRow(1, 'DONE', { isGlobalStore: true, storeName: 's' }));
        await idle();
        return syncRow(1, 'RUNNING', { isGlobalStore: true, storeName: 's' });
    };
    await kit.mobilesync.reSync({ isGlobalStore: true, storeName: 's' }, 1);
    await until(() => log.some(({ status }) => status === 'DONE'));
}));

test('a sync is followed once if the stream is lost twice', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    let status = 'RUNNING';
    bridge.answer = () => syncRow(1, status, { isGlobalStore: true, storeName: 's' });
    for (const openings of [2, 3]) {
        bridge.drop();
        await until(() => bridge.openings === openings && bridge.streams.length === 1);
        const calls = bridge.calls.length;
        await until(() => bridge.calls.length > calls + 2);
    }
    status = 'DONE';
    await until(() => log.some((row) => row.status === 'DONE'));
    await idle();
    assert.deepEqual(log.map((row) => row.status), ['RUNNING', 'DONE']);
}));

test('a sync that is followed fails once if the bridge is gone', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    bridge.answer = () => syncRow(1, 'RUNNING', { isGlobalStore: true, storeName: 's' });
    bridge.drop();
    await until(() => bridge.calls.length > 2);
    await bridge.stop();
    await until(() => log.some(({ status }) => status === 'FAILED'));
    await idle(20);
    assert.deepEqual(log.map(({ status }) => status), ['RUNNING', 'FAILED']);
    await bridge.restart();
}));

test('a sync that no longer exists after the stream was lost has failed', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    bridge.answer = () => ({});
    bridge.drop();
    await until(() => log.length > 0);
    assert.deepEqual(log.map(({ status, error }) => [status, error]),
        [['FAILED', 'soupkit: the sync no longer exists']]);
}));

test('syncs have failed and calls fail if the bridge is gone', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    const states = [];
    kit.addEventListener('connection', ({ detail }) => states.push(detail));
    await bridge.stop();
    await until(() => log.length > 0);
    await idle();
    assert.deepEqual(log.map(({ _soupEntryId, status, isGlobalStore, storeName }) =>
        [_soupEntryId, status, isGlobalStore, storeName]), [[1, 'FAILED', true, 's']]);
    assert.match(log[0].error, /^soupkit: the bridge at .* is not reachable/);
    assert.deepEqual(states.map(({ state }) => state), ['interrupted', 'lost']);
    assert.match(states[1].error, /^soupkit: the bridge at .* is not reachable/);
    assert.match(await rejection(kit.smartstore.soupExists('a')), /^soupkit: the bridge at .* is not reachable/);

    await bridge.restart();
    bridge.answer = () => true;
    assert.equal(await kit.smartstore.soupExists('a'), true, 'the next call connects again');
    assert.equal(bridge.streams.length, 1);
}));

test('a sync whose start is answered after the stream was lost is reported', withClient(async (kit, bridge) => {
    const log = [];
    kit.addEventListener('sync', ({ detail }) => log.push(detail.status));
    const answered = gate();
    bridge.answer = async ({ action }) => {
        if (action === 'getSyncStatus') return syncRow(1, 'STOPPED');
        await answered.promise;
        return syncRow(1, 'RUNNING');
    };
    const starting = kit.mobilesync.syncDown(TARGET, 'a', {});
    await until(() => bridge.calls.length === 1);
    bridge.drop();
    await until(() => bridge.openings === 2);
    await idle();
    answered.open();
    assert.equal((await starting).status, 'RUNNING');
    await until(() => log.length > 0);
    assert.deepEqual(log, ['STOPPED']);
}));

test('a stream that ends again and again is lost', withClient(async (kit, bridge) => {
    const states = [];
    kit.addEventListener('connection', ({ detail }) => states.push(detail.state));
    const drop = bridge.addStream.bind(bridge);
    bridge.addStream = (response, ...others) => {
        drop(response, ...others);
        response.end();
    };
    bridge.drop();
    await until(() => states.includes('lost'));
    await idle();
    assert.equal(bridge.openings, 4, 'the first stream and one for each of the three delays');
}));

test('an event that is not JSON ends the stream', withClient(async (kit, bridge) => {
    const log = await startSync(kit, bridge);
    const states = [];
    kit.addEventListener('connection', ({ detail }) => states.push(detail));
    bridge.answer = () => syncRow(1, 'DONE', { isGlobalStore: true, storeName: 's' });
    bridge.raw(kit.session, 'event: sync\ndata: {"_soupEntryId": \n\n');
    await until(() => log.length > 0);
    assert.equal(log[0].status, 'DONE');
    assert.match(states[0].error, /^soupkit: an event of the bridge at .* is not a JSON object: {"_soupEntryId"/);
}));

test('many calls leave nothing behind', withClient(async (kit) => {
    const warnings = [];
    const listen = ({ name }) => warnings.push(name);
    process.on('warning', listen);
    for (let count = 0; count < 2000; count += 1) await kit.smartstore.soupExists('a');
    await idle();
    process.off('warning', listen);
    assert.deepEqual(warnings, []);
    assert.equal(kit.connection.channel.requests.size, 1, 'the request of the stream');
}));

test('close ends calls and the stream', withClient(async (kit, bridge) => {
    const answered = gate();
    bridge.answer = () => answered.promise;
    const calling = rejection(kit.smartstore.soupExists('a'));
    const starting = rejection(kit.mobilesync.syncDown(TARGET, 'a', {}));
    await until(() => bridge.calls.length === 2);
    const states = [];
    kit.addEventListener('connection', ({ detail }) => states.push(detail.state));
    kit.close();
    kit.close();
    const closed = 'soupkit: the client is closed. Connect again.';
    assert.deepEqual(await Promise.all([calling, starting]), [closed, closed]);
    assert.equal(await rejection(kit.smartstore.soupExists('a')), closed);
    await until(() => bridge.streams.length === 0);
    assert.equal(bridge.openings, 1, 'the client does not connect again');
    assert.deepEqual(states, ['closed']);
    answered.open();
}));

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// `soup bridge` over HTTP: refusals, sessions, lost connections, syncs that fail, and the targets. The local org and the
// bridge are those of the command in the variable SOUP.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { readFileSync } = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const { after, before, describe, test } = require('node:test');
const { promisify } = require('node:util');
const { Chromium } = require('./support/chromium.js');
const { ServedBridge, SOUP, skip, startCommand } = require('./support/served-bridge.js');

const STORE = 'com.salesforce.smartstore';
const SYNC = 'com.salesforce.mobilesync';
const ORIGIN = 'http://localhost:3999';
const CALL = JSON.stringify({ service: STORE, action: 'pgGetAllStores', args: [] });
const POST = { method: 'POST', body: CALL };

describe('soup bridge', { skip, concurrency: 1 }, () => {
    let served;
    before(async () => {
        served = await ServedBridge.start({ list: ['--origin', ORIGIN] });
    });
    after(() => served?.stop());

    let numberOfSoups = 0;
    /** Registers a soup of its own name, with the flags and string indexes on the given paths, and returns the name. */
    async function register(kit, ...paths) {
        numberOfSoups += 1;
        const specs = ['Id', 'Name', '__local__', ...paths].map((path) => ({ path, type: 'string' }));
        return kit.smartstoreClient.registerSoup(`soup${numberOfSoups}`, specs);
    }

    /** Runs a test with a client of its own. */
    function withKit(title, body, options = {}) {
        test(title, { timeout: 300_000 }, async () => {
            const kit = await served.connect(options);
            try {
                await body(kit, kit.smartstoreClient);
            } finally {
                kit.close();
            }
        });
    }

    /** Starts a sync and returns its events up to the last one. */
    function run(kit, start) {
        return new Promise((resolve, reject) => {
            const events = [];
            const listener = ({ detail }) => {
                events.push(detail);
                if (detail.status === 'RUNNING') return;
                kit.removeEventListener('sync', listener);
                resolve(events);
            };
            kit.addEventListener('sync', listener);
            start().catch(reject);
        });
    }

    const all = { queryType: 'range', indexPath: 'Id', order: 'ascending', pageSize: 1000 };

    /** Returns all entries of a soup. */
    async function entries(store, soup) { return (await store.querySoup(soup, all)).currentPageOrderedEntries; }

    /** Waits until a condition is true. */
    async function until(condition) {
        const end = Date.now() + 10_000;
        while (!await condition()) {
            if (Date.now() > end) throw new Error(`the condition did not become true: ${condition}`);
            await new Promise((resolve) => { setTimeout(resolve, 5); });
        }
    }

    // -- Refusals ----------------------------------------------------------------------------------------------------

    const refusals = {
        'no secret': [401, { ...POST, headers: { Authorization: '' } }, /secret/],
        'another secret': [401, { ...POST, headers: { Authorization: 'Bearer x' } }, /secret/],
        'another origin': [403, { ...POST, headers: { Origin: 'https://example.com' } }, /https:\/\/example\.com.*--origin/],
        'the origin null': [403, { ...POST, headers: { Origin: 'null' } }, /null/],
        'no session': [400, { ...POST, headers: { 'X-Bridge-Session': '' } }, /X-Bridge-Session|identifier/],
        'a session with a space': [400, { ...POST, session: 'a b' }, /identifier/],
        'no JSON': [400, { ...POST, body: '{"service"' }, /not JSON/],
        'a body that is no object': [400, { ...POST, body: '[]' }, /object/],
        'no service': [400, { ...POST, body: '{"action":"a","args":[]}' }, /service/],
        'no action': [400, { ...POST, body: '{"service":"a","args":[]}' }, /action/],
        'args that are no list': [400, { ...POST, body: '{"service":"a","action":"b","args":{}}' }, /args/],
        'two arguments': [400, { ...POST, body: '{"service":"a","action":"b","args":[{},{}]}' }, /args/],
        'deep JSON': [400, { ...POST, body: `{"service":"a","action":"b","args":${'['.repeat(100_000)}` }, /JSON/],
        'bytes that are not UTF-8': [400, { ...POST, body: Buffer.from([0x7B, 0x22, 0xFF, 0x22, 0x7D]) }, /JSON/],
        'another method': [405, {}, /POST/],
    };
    for (const [title, [status, options, message]] of Object.entries(refusals)) {
        test(`a call with ${title} is refused with ${status}`, async () => {
            const found = await served.request('/bridge/exec', options);
            assert.equal(found.status, status);
            assert.match(found.value.error, message);
            assert.deepEqual(Object.keys(found.value), ['error']);
            assert.equal(found.headers.get('Access-Control-Allow-Origin'), null);
        });
    }

    test('a body of more than 32 MiB is refused, and the next call is answered', async () => {
        const found = await served.request('/bridge/exec', { method: 'POST', body: Buffer.alloc((32 << 20) + 1, 0x20) });
        assert.deepEqual([found.status, Object.keys(found.value)], [413, ['error']]);
        assert.match(found.value.error, /33554432 bytes/);
        assert.equal((await served.request('/bridge/exec', POST)).status, 200);
    });

    test('an unknown path, a foreign host and other methods are refused', async () => {
        assert.equal((await served.request('/bridge/other', POST)).status, 404);
        assert.equal((await served.request('/bridge/events?session=x', POST)).status, 405);
        const { port } = new URL(served.url);
        // As it is: fetch would remove the segments.
        const traversal = await new Promise((resolve, reject) => {
            http.get({ port, host: '127.0.0.1', path: '/../../etc/passwd' }, (response) => {
                response.resume();
                resolve(response.statusCode);
            }).on('error', reject);
        });
        assert.equal(traversal, 404);
        const status = await new Promise((resolve, reject) => {
            const headers = { Host: 'example.com', Authorization: `Bearer ${served.secret}`, 'X-Bridge-Session': 's' };
            http.request({ port, host: '127.0.0.1', method: 'POST', path: '/bridge/exec', headers }, (response) => {
                response.resume();
                resolve(response.statusCode);
            }).on('error', reject).end(CALL);
        });
        assert.equal(status, 403);
    });

    test('responses have the fields that protect a page', async () => {
        const fields = async (path) => {
            const { headers } = await fetch(served.url + path);
            return ['Content-Security-Policy', 'X-Content-Type-Options', 'Cache-Control'].map((name) => headers.get(name));
        };
        const [policy, type, cache] = await fields('/');
        assert.match(policy, /^default-src 'none'; script-src 'self';/);
        assert.deepEqual([type, cache], ['nosniff', 'no-store']);
        assert.equal((await served.request('/bridge/exec', POST)).headers.get('Cache-Control'), 'no-store');
    });

    test('a page of the allowed origin may send calls, after a preflight', async () => {
        const preflight = (origin) => served.request('/bridge/exec', {
            method: 'OPTIONS',
            headers: {
                Origin: origin, Authorization: '', 'Access-Control-Request-Method': 'POST',
                'Access-Control-Request-Headers': 'authorization,content-type,x-bridge-session',
            },
        });
        const { status, headers } = await preflight(ORIGIN);
        assert.equal(status, 204);
        assert.deepEqual(
            ['origin', 'methods', 'headers'].map((name) => headers.get(`Access-Control-Allow-${name}`)),
            [ORIGIN, 'GET, POST', 'authorization, content-type, x-bridge-session']);
        const found = await served.request('/bridge/exec', { ...POST, headers: { Origin: ORIGIN } });
        assert.deepEqual([found.status, found.headers.get('Access-Control-Allow-Origin')], [200, ORIGIN]);
        for (const origin of [`${ORIGIN}0`, 'http://localhost', 'https://localhost:3999']) {
            assert.equal((await preflight(origin)).status, 403, origin);
        }
    });

    test('an unknown service or action reaches the error callback', async () => {
        for (const [service, action, message] of [
            ['com.salesforce.other', 'a', /^Class not found.*com\.salesforce\.smartstore/],
            ['com.salesforce.oauth', 'getAuthCredentials', /^Class not found/],
            [STORE, 'pgOther', /^Invalid action.*pgUpsertSoupEntries/],
        ]) {
            const answer = await served.call(service, action);
            assert.match(answer.error.replaceAll('\n', ' '), message);
        }
    });

    test('a further session than 200 is refused until another one ends', { timeout: 300_000 }, async () => {
        const other = await startCommand(SOUP, ['bridge', '--json', '--config', served.config]);
        try {
            const open = (session, controller) => fetch(`${other.line.url}/bridge/events?session=${session}`, {
                headers: { Authorization: `Bearer ${other.line.secret}` }, signal: controller.signal,
            });
            const controllers = Array.from({ length: 1000 }, () => new AbortController());
            // Node ends the stream of a response that nothing refers to.
            const responses = [];
            for (const [number, controller] of controllers.entries()) {
                const response = await open(`s${number}`, controller);
                responses.push(response);
                if (response.status !== 200) assert.match((await response.json()).error, /200 sessions/);
            }
            assert.deepEqual(
                [200, 503].map((status) => responses.filter((response) => response.status === status).length), [200, 800]);
            controllers[0].abort();
            await until(async () => (await open('later', new AbortController())).status === 200);
        } finally {
            // The open streams do not keep the bridge running.
            assert.equal(await other.stop(), 0);
        }
    });

    test('an interrupted bridge closes its stores and succeeds', async () => {
        const other = await startCommand(SOUP, ['bridge', '--json', '--config', served.config]);
        const found = await fetch(`${other.line.url}/bridge/exec`, {
            method: 'POST', headers: { Authorization: `Bearer ${other.line.secret}`, 'X-Bridge-Session': 's' },
            body: JSON.stringify({ service: STORE, action: 'pgSoupExists', args: [{ soupName: 'a' }] }),
        });
        assert.deepEqual(await found.json(), { ok: false });
        assert.equal(await other.stop(), 0);
    });

    test('a folder that does not exist, or with secrets as a page, is an error', async () => {
        for (const [list, message] of [
            [['--config', 'nowhere'], /nowhere does not exist/],
            [['--config', served.config, '--page', served.config], /folder of the page is that of the configuration/],
        ]) {
            await assert.rejects(startCommand(SOUP, ['bridge', '--json', ...list]), message);
        }
    });

    // -- Sessions ----------------------------------------------------------------------------------------------------

    withKit('a cursor of another client is unknown', async (kit, store) => {
        const soup = await register(kit);
        await store.upsertSoupEntries(soup, [{ Id: 'a' }, { Id: 'b' }]);
        const cursor = await store.querySoup(soup, { ...all, pageSize: 1 });
        const other = await served.connect();
        for (const action of [
            () => other.smartstoreClient.moveCursorToPageIndex(cursor, 1),
            () => store.moveCursorToPageIndex({ ...cursor, cursorId: 'unknown' }, 1),
            () => store.moveCursorToPageIndex({ isGlobalStore: true }, cursor, 1),
        ]) {
            await assert.rejects(action, (error) => /^Invalid cursor id/.test(error));
        }
        // Nor can the other client close it.
        assert.equal(await other.smartstoreClient.closeCursor(cursor), 'OK');
        other.close();
        assert.equal((await store.moveCursorToPageIndex(cursor, 1)).currentPageOrderedEntries[0].Id, 'b');
    });

    withKit('a cursor of an earlier session is not that of another query', async (kit, store) => {
        const soup = await register(kit);
        const call = (action, given) => served.call(STORE, action, { isGlobalStore: false, ...given }, 'again');
        const query = async () => (await call('pgQuerySoup', { soupName: soup, querySpec: { ...all, pageSize: 1 } })).ok.cursorId;
        await store.upsertSoupEntries(soup, [{ Id: 'a' }, { Id: 'b' }]);
        const controller = new AbortController();
        const headers = { Authorization: `Bearer ${served.secret}` };
        await fetch(`${served.url}/bridge/events?session=again`, { headers, signal: controller.signal });
        const first = await query();
        controller.abort();
        // A call that arrives late does not begin the session again.
        await until(async () => /^the session has ended/.test(
            (await call('pgMoveCursorToPageIndex', { cursorId: first, index: 1 })).error));
        const again = new AbortController();
        const stream = await fetch(`${served.url}/bridge/events?session=again`, { headers, signal: again.signal });
        assert.notEqual(await query(), first);
        const { error } = await call('pgMoveCursorToPageIndex', { cursorId: first, index: 1 });
        assert.match(error, /^Invalid cursor id/);
        assert.equal(stream.status, 200);
        again.abort();
    });

    const endless = {
        queryType: 'smart', pageSize: 1,
        smartSql: 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
    };

    withKit('a query of a program that is gone does not block the others', async (kit, store) => {
        const soup = await register(kit);
        // The program does not read events, so only its connection shows that it is gone.
        const body = JSON.stringify({ service: STORE, action: 'pgRunSmartQuery', args: ['pluginSDKVersion:14.0.0', { querySpec: endless }] });
        for (let number = 0; number < 12; number += 1) {
            const controller = new AbortController();
            const answer = served.request('/bridge/exec', {
                method: 'POST', body, session: 'program', signal: controller.signal,
            });
            // The other client is answered while the query runs.
            assert.deepEqual(await entries(store, soup), []);
            controller.abort();
            await assert.rejects(answer);
        }
        assert.deepEqual(await entries(store, soup), []);
    });

    withKit('a query of a page that is gone does not block the others', async (kit, store) => {
        const soup = await register(kit);
        for (let number = 0; number < 8; number += 1) {
            const gone = await served.connect();
            const answer = gone.smartstoreClient.runSmartQuery(endless);
            // The other client is answered while the query runs.
            assert.deepEqual(await entries(store, soup), []);
            gone.close();
            await assert.rejects(answer);
        }
        assert.deepEqual(await entries(store, soup), []);
    });

    test('a program that closes its client ends, also after large answers', { timeout: 60_000 }, async () => {
        const program = `
            const soupkit = require(${JSON.stringify(require.resolve('../../Sources/SoupBridge/JavaScript/soupkit.js'))});
            (async () => {
                const kit = await soupkit.connect(${JSON.stringify({ url: served.url, secret: served.secret })});
                const store = kit.smartstoreClient;
                // A store of its own: free space in the other one would belong to later tests.
                const name = { isGlobalStore: true, storeName: 'large' };
                await store.registerSoup(name, 'large', [{ path: 'Id', type: 'string' }]);
                const entries = Array.from({ length: 1000 }, (_, n) => ({ Id: String(n), text: 'x'.repeat(8000) }));
                console.log((await store.upsertSoupEntries(name, 'large', entries)).length);
                await store.removeStore(name);
                kit.close();
            })();`;
        // The timeout ends a program that waits for its connections.
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { timeout: 20_000 });
        assert.equal(stdout, '1000\n');
    });

    withKit('a store that is removed stays removed', async (kit, store) => {
        const name = { isGlobalStore: true, storeName: 'temporary' };
        await store.registerSoup(name, 'soup', [{ path: 'Id', type: 'string' }]);
        await store.upsertSoupEntries(name, 'soup', [{ Id: 'a' }, { Id: 'b' }]);
        const cursor = await store.querySoup(name, 'soup', { ...all, pageSize: 1 });
        const other = await served.connect();
        assert.equal(await other.smartstoreClient.removeStore(name), true);
        other.close();
        await assert.rejects(store.moveCursorToPageIndex(name, cursor, 1), (error) => /^Invalid cursor id/.test(error));
        assert.equal((await store.getAllGlobalStores()).some(({ storeName }) => storeName === 'temporary'), false);
    });

    withKit('two pages at once get their own events', async (kit, store) => {
        const soup = await register(kit);
        const other = await served.connect();
        const foreign = [];
        other.addEventListener('sync', ({ detail }) => foreign.push(detail.soupName));
        const own = await register(other);
        const target = { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account' };
        const down = (client, name) => run(client, () => client.mobilesyncClient.syncDown(target, name, { mergeMode: 'OVERWRITE' }));
        const [first, second] = await Promise.all([down(kit, soup), down(other, own)]);
        assert.deepEqual([first, second].map((events) => [...new Set(events.map(({ soupName }) => soupName))]), [[soup], [own]]);
        assert.deepEqual([...new Set(foreign)], [own]);
        assert.deepEqual((await entries(store, soup)).map(({ Id }) => Id), (await entries(store, own)).map(({ Id }) => Id));
        other.close();
    });

    withKit('the batch with the latest date of many is the stored one', async (kit, store) => {
        const soup = await register(kit);
        const batches = await Promise.all(Array.from({ length: 100 }, (_, batch) => store.upsertSoupEntriesWithExternalId(
            soup, Array.from({ length: 20 }, (_, number) => ({ Id: `r${number}`, batch })), 'Id')));
        const dates = batches.map((batch) => batch[0]._soupLastModifiedDate);
        assert.equal(new Set(dates).size, 100);
        const last = batches[dates.indexOf(Math.max(...dates))];
        const stored = await entries(store, soup);
        assert.equal(stored.length, 20);
        assert.deepEqual([...new Set(stored.map(({ batch }) => batch))], [last[0].batch]);
        assert.deepEqual(new Map(stored.map((entry) => [entry.Id, entry])), new Map(last.map((entry) => [entry.Id, entry])));
    });

    // -- Values ------------------------------------------------------------------------------------------------------

    withKit('large integers keep their digits', async (kit, store) => {
        const soup = await register(kit);
        const [saved] = await store.upsertSoupEntries(soup, [{ Id: 'big', n: 2n ** 63n - 1n, m: -(10n ** 30n) }]);
        const [read] = await entries(store, soup);
        assert.deepEqual([saved.n, read.n, read.m], [9223372036854775807n, 9223372036854775807n, -(10n ** 30n)]);
        assert.equal(typeof read._soupEntryId, 'number');
    }, { bigIntegers: true });

    withKit('a batch with a bad entry changes nothing', async (kit, store) => {
        const soup = await register(kit);
        await store.upsertSoupEntries(soup, [{ Id: 'a', v: 1 }]);
        const before = await entries(store, soup);
        for (const batch of [[{ Id: 'a', v: 2 }, 7], [{ Id: 'a', v: 2 }, null], [{ Id: 'a', v: 2 }, { v: 3 }]]) {
            await assert.rejects(store.upsertSoupEntriesWithExternalId(soup, batch, 'Id'), (error) => /1/.test(error));
        }
        assert.deepEqual(await entries(store, soup), before);
    });

    withKit('the size of the database grows with its content', async (kit, store) => {
        const soup = await register(kit);
        const before = await store.getDatabaseSize();
        await store.upsertSoupEntries(soup, Array.from({ length: 2000 }, (_, n) => ({ Id: `r${n}`, text: 'x'.repeat(100) })));
        assert.ok(await store.getDatabaseSize() > before);
    });

    // -- Lost connections --------------------------------------------------------------------------------------------

    /** Sends the head of a call and a part of its body, and closes the connection. */
    function sendAndClose(body, sent, session) {
        const { port } = new URL(served.url);
        return new Promise((resolve, reject) => {
            const socket = net.connect(port, '127.0.0.1', () => {
                const head = `POST /bridge/exec HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${served.secret}\r\n`
                    + `X-Bridge-Session: ${session}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
                socket.write(head + body.slice(0, sent), () => { socket.destroy(); resolve(); });
            });
            socket.on('error', reject);
        });
    }

    withKit('a page that is lost in the middle of a call leaves all of a batch or nothing', async (kit, store) => {
        const soup = await register(kit);
        const batch = (name) => JSON.stringify({
            service: STORE, action: 'pgUpsertSoupEntries', args: [{
                soupName: soup, externalIdPath: 'Id',
                entries: Array.from({ length: 2000 }, (_, n) => ({ Id: `${name} ${n}`, Name: name })),
            }],
        });
        for (let round = 0; round < 20; round += 1) {
            const body = batch(`b${round}`);
            // Every other call is sent completely, and its answer is not read.
            await sendAndClose(body, round % 2 ? body.length : Math.floor(body.length * round / 20), `lost${round}`);
        }
        // The next write of another client is not delayed by a transaction that was left open.
        await store.upsertSoupEntries(soup, [{ Id: 'z', Name: 'z' }]);
        const count = async () => (await store.runSmartQuery(store.buildSmartQuerySpec(
            `SELECT {${soup}:Name}, count(*) FROM {${soup}} WHERE {${soup}:Name} <> 'z' GROUP BY 1`, 1000)))
            .currentPageOrderedEntries;
        // Nothing shows when the bridge reads the last request: wait until the number of entries stays the same.
        let found = [];
        await until(async () => {
            const before = found.length;
            found = await count();
            return found.length > 0 && found.length === before;
        });
        for (const [name, number] of found) {
            assert.equal(number, 2000, name);
            assert.equal(Number(name.slice(1)) % 2, 1, `${name} was not sent completely`);
        }
    });

    withKit('a page that is gone leaves no sync running and no cursor', async (kit, store) => {
        const soup = await register(kit);
        await store.upsertSoupEntries(soup, [{ Id: 'a' }, { Id: 'b' }]);
        await served.admin('/_emu/faults', { id: 'slow', match: { path: '/query' }, do: { kind: 'latency', ms: 60_000 } });
        try {
            const gone = await served.connect();
            const cursor = await gone.smartstoreClient.querySoup(soup, { ...all, pageSize: 1 });
            const row = await gone.mobilesyncClient.syncDown(
                { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account' }, soup, { mergeMode: 'OVERWRITE' }, `${soup}Down`);
            assert.equal(row.status, 'RUNNING');
            gone.close();
            await until(async () => (await kit.mobilesyncClient.getSyncStatus(`${soup}Down`)).status === 'STOPPED');
            const answer = await served.call(
                STORE, 'pgMoveCursorToPageIndex', { isGlobalStore: false, cursorId: cursor.cursorId, index: 1 }, gone.session);
            assert.match(answer.error, /^the session has ended/);
        } finally {
            await fetch(`${served.org.line.url}/_emu/faults?id=slow`, { method: 'DELETE' });
        }
        // The next page continues the sync.
        const events = await run(kit, () => kit.mobilesyncClient.reSync(`${soup}Down`));
        assert.equal(events.at(-1).status, 'DONE');
    });

    // -- Syncs -------------------------------------------------------------------------------------------------------

    withKit('a sync that fails ends with its error, and runs again', async (kit, store) => {
        const soup = await register(kit);
        await served.admin('/_emu/faults', {
            id: 'bad', match: { path: '/query' }, when: { count: 1 },
            do: { kind: 'http', status: 400, errorCode: 'MALFORMED_QUERY', message: 'unexpected token' },
        });
        const target = { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account' };
        const events = await run(kit, () =>
            kit.mobilesyncClient.syncDown(target, soup, { mergeMode: 'OVERWRITE' }, `${soup}Down`));
        const { status, progress, error } = events.at(-1);
        assert.deepEqual([status, progress < 100], ['FAILED', true]);
        assert.match(typeof error === 'string' ? error : JSON.stringify(error), /MALFORMED_QUERY/);
        const again = await run(kit, () => kit.mobilesyncClient.reSync(`${soup}Down`));
        assert.deepEqual([again.at(-1).status, again.at(-1).error], ['DONE', '']);
        assert.ok((await entries(store, soup)).length > 0);
    });

    withKit('a sync of several pages reports its progress', async (kit, store) => {
        const soup = await register(kit);
        await served.admin('/_emu/faults', { id: 'pages', match: { path: '/query' }, do: { kind: 'shrinkBatch', rows: 1 } });
        try {
            const target = { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account' };
            const events = await run(kit, () => kit.mobilesyncClient.syncDown(target, soup, { mergeMode: 'OVERWRITE' }));
            const count = (await entries(store, soup)).length;
            const shown = events.map(({ progress }) => progress);
            assert.deepEqual(shown, [...shown].sort((left, right) => left - right));
            assert.ok(shown.some((progress) => progress > 0 && progress < 100), `${shown}`);
            assert.deepEqual([shown[0], shown.at(-1)], [0, 100]);
            assert.deepEqual([events[0].totalSize, events.at(-1).totalSize], [-1, count]);
        } finally {
            await fetch(`${served.org.line.url}/_emu/faults?id=pages`, { method: 'DELETE' });
        }
    });

    withKit('a sync counts the records that changed since its last run', async (kit, store) => {
        const soup = await register(kit);
        const created = [];
        for (const number of [1, 2, 3]) created.push((await kit.forceClient.create('Account', { Name: `resync ${number}` })).id);
        const target = {
            type: 'soql',
            query: `SELECT Id, Name, LastModifiedDate FROM Account WHERE Id IN (${created.map((id) => `'${id}'`)})`,
        };
        const down = await run(kit, () =>
            kit.mobilesyncClient.syncDown(target, soup, { mergeMode: 'OVERWRITE' }, `${soup}Down`));
        await served.admin('/_emu/clock', { advance: 2 });
        for (const id of created.slice(0, 2)) await kit.forceClient.update('Account', id, { Name: 'changed' });
        const again = await run(kit, () => kit.mobilesyncClient.reSync(`${soup}Down`));
        assert.deepEqual([down.at(-1).totalSize, again.at(-1).totalSize], [3, 2]);
        assert.deepEqual((await entries(store, soup)).map(({ Name }) => Name), ['changed', 'changed', 'resync 3']);

        // Records that keep local changes are counted too: rows fetched, not rows saved.
        await store.upsertSoupEntries(soup, (await entries(store, soup)).map((entry) =>
            ({ ...entry, Name: 'mine', __local__: true, __locally_updated__: true })));
        const kept = await run(kit, () => kit.mobilesyncClient.syncDown(target, soup, { mergeMode: 'LEAVE_IF_CHANGED' }));
        assert.deepEqual([kept.at(-1).status, kept.at(-1).totalSize], ['DONE', 3]);
        assert.deepEqual((await entries(store, soup)).map(({ Name }) => Name), ['mine', 'mine', 'mine']);
        // All of them are newer on the server: the sync up sends none, and is still complete.
        await served.admin('/_emu/clock', { advance: 5 });
        for (const id of created) await kit.forceClient.update('Account', id, { Name: 'theirs' });
        const up = await run(kit, () =>
            kit.mobilesyncClient.syncUp({}, soup, { mergeMode: 'LEAVE_IF_CHANGED', fieldlist: ['Name'] }));
        const { status, progress, totalSize } = up.at(-1);
        assert.deepEqual([status, progress, totalSize], ['DONE', 100, 3]);
        assert.deepEqual(
            (await served.records('Account')).filter(({ Id }) => created.includes(Id)).map(({ Name }) => Name),
            ['theirs', 'theirs', 'theirs']);
    });

    withKit('React Native methods are answered as on both platforms', async (kit) => {
        const call = (method, given) => new Promise((resolve) => { method(given, (...outcome) => resolve(outcome)); });
        const { SFSmartStoreReactBridge: ios, SFMobileSyncReactBridge: iosSync } = kit.nativeModules.ios;
        const { SmartStoreReactBridge: android } = kit.nativeModules.android;
        const androidCall = (method, given) => new Promise((resolve, reject) => { method(given, resolve, reject); });
        const soupName = 'reactSoup';
        const store = { isGlobalStore: true, storeName: 'react' };
        const indexes = ['Id', 'Name', '__local__'].map((path) => ({ path, type: 'string' }));
        assert.deepEqual(await call(ios.registerSoup, { ...store, soupName, indexes }), [null, soupName]);
        assert.deepEqual(await call(ios.soupExists, { ...store, soupName }), [null, true]);
        assert.equal(await androidCall(android.soupExists, { ...store, soupName }), 'true');
        const target = { type: 'soql', query: 'SELECT Id, Name FROM Account' };
        const [error, row] = await call(iosSync.syncDown, { ...store, target, soupName, options: { mergeMode: 'OVERWRITE' } });
        assert.deepEqual(
            [error, row.status, row.progress, row.isGlobalStore, row.storeName], [null, 'DONE', 100, true, 'react']);
        const bad = { type: 'soql', query: 'SELECT Nothing__c FROM Account' };
        const [failure] = await call(iosSync.syncDown, { ...store, target: bad, soupName, options: { mergeMode: 'OVERWRITE' } });
        assert.deepEqual([failure.message, failure.userInfo.status], ['Sync failed', 'FAILED']);
        assert.deepEqual(await call(iosSync.getSyncStatus, { ...store, syncName: 'unknown' }), [null, null]);
        assert.equal(await androidCall(android.removeStore, store), 'true');
        assert.deepEqual(await call(ios.removeStore, store), [null, 'OK']);
    });

    withKit('a record that the server rejects keeps its change and its error', async (kit, store) => {
        const soup = await register(kit);
        await store.upsertSoupEntries(soup, [
            { Id: 'local_1', Name: 'Good', attributes: { type: 'Account' }, __local__: true, __locally_created__: true },
            { Id: 'local_2', Name: null, attributes: { type: 'Account' }, __local__: true, __locally_created__: true },
        ]);
        const events = await run(kit, () =>
            kit.mobilesyncClient.syncUp({}, soup, { mergeMode: 'OVERWRITE', fieldlist: ['Name'] }));
        const { status, progress, totalSize } = events.at(-1);
        assert.deepEqual([status, progress, totalSize], ['DONE', 100, 2]);
        const stored = await entries(store, soup);
        const rejected = stored.find(({ Id }) => Id === 'local_2');
        assert.deepEqual([stored.length, rejected.__local__, rejected.__locally_created__], [2, true, true]);
        assert.match(JSON.stringify(rejected.__last_error__), /REQUIRED_FIELD_MISSING/);
        assert.deepEqual(stored.filter(({ __local__ }) => !__local__).map(({ Name }) => Name), ['Good']);
    });

    const downTargets = {
        soql: { type: 'soql', query: 'SELECT Id, Name, LastModifiedDate FROM Account' },
        sosl: { type: 'sosl', query: 'FIND {acme} IN ALL FIELDS RETURNING Account(Id, Name, LastModifiedDate)' },
        mru: { type: 'mru', sobjectType: 'Account', fieldlist: ['Id', 'Name', 'LastModifiedDate'] },
        layout: { type: 'layout', sobjectType: 'Account', formFactor: 'Medium', layoutType: 'Compact', mode: 'Edit' },
        metadata: { type: 'metadata', sobjectType: 'Account' },
        briefcase: {
            type: 'briefcase',
            infos: [{ sobjectType: 'Account', soupName: 'accounts', fieldlist: ['Id', 'Name'] }],
        },
    };
    for (const [name, target] of Object.entries(downTargets)) {
        withKit(`the target ${name} runs through the bridge`, async (kit, store) => {
            const soup = await register(kit);
            await kit.forceClient.create('Account', { Name: `acme ${name}` });
            const given = JSON.parse(JSON.stringify(target).replace('"accounts"', JSON.stringify(soup)));
            const events = await run(kit, () => kit.mobilesyncClient.syncDown(given, soup, { mergeMode: 'OVERWRITE' }));
            const { status, progress, target: shown, error } = events.at(-1);
            assert.deepEqual([status, progress, error], ['DONE', 100, '']);
            for (const [key, value] of Object.entries(given)) assert.deepEqual(shown[key], value, key);
            const ids = (await entries(store, soup)).map(({ Id }) => Id);
            assert.ok(['briefcase'].includes(name) || ids.length > 0, `${ids}`);
        });
    }

    withKit('the target refresh reads the records of the soup again', async (kit, store) => {
        const soup = await register(kit);
        const { id } = await kit.forceClient.create('Account', { Name: 'new' });
        await store.upsertSoupEntries(soup, [{ Id: id, Name: 'old', __local__: false }]);
        const target = { type: 'refresh', soupName: soup, sobjectType: 'Account', fieldlist: ['Id', 'Name'] };
        const events = await run(kit, () => kit.mobilesyncClient.syncDown(target, soup, { mergeMode: 'OVERWRITE' }));
        assert.deepEqual([events.at(-1).status, events.at(-1).target.fieldlist], ['DONE', ['Id', 'Name']]);
        assert.deepEqual((await entries(store, soup)).map(({ Id, Name }) => [Id, Name]), [[id, 'new']]);
    });

    for (const type of ['rest', 'batch', 'single']) {
        withKit(`the target ${type} pushes through the bridge`, async (kit, store) => {
            const soup = await register(kit);
            const edited = await kit.forceClient.create('Account', { Name: 'edited' });
            const deleted = await kit.forceClient.create('Account', { Name: 'deleted' });
            const flags = (kind) => ({ attributes: { type: 'Account' }, __local__: true, [`__locally_${kind}__`]: true });
            await store.upsertSoupEntries(soup, [
                { Id: 'local_1', Name: `created by ${type}`, ...flags('created') },
                { Id: edited.id, Name: `edited by ${type}`, ...flags('updated') },
                { Id: deleted.id, Name: 'deleted', ...flags('deleted') },
            ]);
            const target = { type, createFieldlist: ['Name'], updateFieldlist: ['Name'] };
            const events = await run(kit, () => kit.mobilesyncClient.syncUp(target, soup, { mergeMode: 'OVERWRITE' }));
            assert.deepEqual([events.at(-1).status, events.at(-1).totalSize], ['DONE', 3]);
            const stored = await entries(store, soup);
            assert.deepEqual(
                stored.map(({ Name, __local__ }) => [Name, __local__]).sort(),
                [[`created by ${type}`, false], [`edited by ${type}`, false]]);
            const records = await served.records('Account');
            const ids = stored.map(({ Id }) => Id).sort();
            assert.deepEqual(records.filter(({ Name }) => Name.endsWith(`by ${type}`)).map(({ Id }) => Id).sort(), ids);
            assert.equal(records.some(({ Id }) => Id === deleted.id), false);
        });
    }

    // -- Load --------------------------------------------------------------------------------------------------------

    withKit('10,000 entries and 1,000 queries from a page need no more memory', async (kit, store) => {
        const soup = await register(kit, 'key');
        const memory = () => {
            try {
                return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${served.bridge.pid}/status`, 'utf8'))[1]);
            } catch {
                return 0;  // Only Linux has the file.
            }
        };
        const round = async (number) => {
            for (let page = 0; page < 5; page += 1) {
                await store.upsertSoupEntriesWithExternalId(soup, Array.from({ length: 2000 }, (_, index) => ({
                    Id: `r${page * 2000 + index}`, key: `k${index % 10}`, text: 'text '.repeat(20), number,
                })), 'Id');
            }
            for (let query = 0; query < 1000; query += 1) {
                const cursor = await store.querySoup(soup, store.buildExactQuerySpec('key', `k${query % 10}`, 25));
                assert.equal(cursor.totalEntries, 1000);
                if (query % 2) await store.closeCursor(cursor);
            }
        };
        await round(0);
        await round(1);
        const before = memory();
        await round(2);
        await round(3);
        const growth = memory() - before;
        assert.ok(growth < 16_384, `the memory of the bridge grew by ${growth} KiB`);
    });

    test('a page in Chromium needs no more memory for them either', {
        skip: !Chromium.find() && 'there is no Chromium', timeout: 300_000,
    }, async () => {
        const browser = await Chromium.start();
        try {
            const page = await browser.open(served.url);
            await page.evaluate(async (secret) => {
                globalThis.kit = await soupkit.connect({ url: location.origin, secret });
                await kit.smartstore.registerSoup('chromiumLoad', [{ path: 'Id', type: 'string' }, { path: 'key', type: 'string' }]);
            }, served.secret);
            const round = (number) => page.evaluate(async (value) => {
                const store = kit.smartstore;
                for (let part = 0; part < 5; part += 1) {
                    await store.upsertSoupEntriesWithExternalId('chromiumLoad', Array.from({ length: 2000 }, (_, index) => ({
                        Id: `r${part * 2000 + index}`, key: `k${index % 10}`, text: 'text '.repeat(20), value,
                    })), 'Id');
                }
                for (let query = 0; query < 1000; query += 1) {
                    const cursor = await store.querySoup(
                        'chromiumLoad', store.buildExactQuerySpec('key', `k${query % 10}`, 25));
                    if (cursor.totalEntries !== 1000) throw new Error(`${cursor.totalEntries} entries`);
                }
            }, number);
            const heap = async () => {
                await page.send('HeapProfiler.collectGarbage');
                return (await page.send('Runtime.getHeapUsage')).usedSize / 1024;
            };
            await round(0);
            const before = await heap();
            await round(1);
            const growth = await heap() - before;
            assert.ok(growth < 1024, `the heap of the page grew by ${Math.round(growth)} KiB`);
            assert.deepEqual(page.errors, []);
        } finally {
            await browser.close();
        }
    });
});

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const vm = require('node:vm');
const { FakeBridge, soupkit, until, syncRow } = require('./support/fake-bridge.js');

const SCRIPT = path.join(__dirname, '../../Sources/SoupBridge/JavaScript/soupkit.js');

/** Runs a test with the globals of a page, in which `soupkit.js` is a classic script. */
function withPage(body) {
    return async () => {
        const ports = [];
        class PageChannel extends MessageChannel {
            constructor() {
                super();
                ports.push(this.port1);
            }
        }
        const page = {
            AbortController, CustomEvent, Event, EventTarget, TextDecoder, URL, clearTimeout, console, crypto, fetch,
            setTimeout,
            MessageChannel: PageChannel, document: new EventTarget(), navigator: {}, location: { href: 'page' },
        };
        page.window = page;
        vm.runInNewContext(fs.readFileSync(SCRIPT, 'utf8'), page);
        const bridge = await FakeBridge.start();
        try {
            await body(page, bridge);
        } finally {
            for (const port of ports) port.close();
            await bridge.stop();
        }
    };
}

test('a classic script defines one global', withPage(async (page) => {
    assert.deepEqual(Object.keys(page.soupkit), Object.keys(soupkit));
    for (const name of ['cordova', 'force', 'connect', 'QuerySpec', 'Client']) assert.equal(name in page, false, name);
}));

test('two clients work in one page', withPage(async (page, bridge) => {
    const { document, navigator, location } = page;
    const options = { url: bridge.url, secret: bridge.secret };
    const first = await page.soupkit.connect({ ...options, globals: true });
    const second = await page.soupkit.connect(options);
    assert.equal(page.navigator.smartstore, first.smartstore);
    assert.deepEqual([page.document, page.navigator, page.location], [document, navigator, location]);

    const log = [];
    document.addEventListener('sync', ({ detail }) => {
        log.push(`document ${detail._soupEntryId}`);
        Promise.resolve().then(() => {}).then(() => log.push(`promises ${detail._soupEntryId}`));
    });
    second.addEventListener('sync', ({ detail }) => log.push(`second ${detail._soupEntryId}`));
    const text = [1, 2].map((id) => `event: sync\ndata: ${JSON.stringify(syncRow(id, 'DONE'))}\n\n`).join('');
    bridge.raw(first.session, text);
    await until(() => log.length === 4);
    assert.deepEqual(log, ['document 1', 'promises 1', 'document 2', 'promises 2']);
    bridge.event(second.session, syncRow(3, 'DONE'));
    await until(() => log.length === 5);
    assert.equal(log[4], 'second 3');

    second.close();
    assert.equal(await page.navigator.smartStore.soupExists('a'), 'OK', 'closing one does not close the other');
    first.close();
    assert.equal('smartstore' in navigator, false);
    assert.equal('cordova' in page, false);
}));

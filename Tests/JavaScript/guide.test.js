// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

/*
 * The guide's samples as scripts, and a round trip. They run against a small store, or against a real bridge:
 *
 *     SOUPKIT_BRIDGE_URL=http://127.0.0.1:8080 SOUPKIT_BRIDGE_SECRET=... node --test Tests/JavaScript/guide.test.js
 *
 * They use soups whose names begin with `soupkitTest`, and remove them.
 */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const vm = require('node:vm');
const { FakeBridge, soupkit } = require('./support/fake-bridge.js');
const { outcome, rejection } = require('./support/fixture.js');
const { SmallStore } = require('./support/small-store.js');

const { SOUPKIT_BRIDGE_URL: url, SOUPKIT_BRIDGE_SECRET: secret } = process.env;
const isReal = url !== undefined;
const SOUP = `soupkitTest${process.pid}`;

/** Runs a test with a connected client whose soup is registered. `store` is null for a real bridge. */
function withSoup(body) {
    return async () => {
        const bridge = isReal ? null : await FakeBridge.start();
        const store = isReal ? null : new SmallStore();
        if (bridge) bridge.answer = (call) => store.answer(call);
        const page = vm.createContext({ console });
        const kit = await soupkit.connect({
            url: isReal ? url : bridge.url, secret: isReal ? secret : bridge.secret, globals: page,
        });
        try {
            await kit.smartstore.registerSoup(SOUP, [
                { path: 'id', type: 'string' }, { path: 'name', type: 'string' }, { path: 'rank', type: 'integer' },
            ]);
            await body(kit, page, store);
        } finally {
            await kit.smartstore.removeSoup(SOUP).catch(() => {});
            kit.close();
            if (bridge) await bridge.stop();
        }
    };
}

const RANKS = Array.from({ length: 7 }, (_, index) => ({ id: `r${index}`, name: `row ${index}`, rank: index }));

test('upserts of the guide create and update an entry', withSoup(async (kit, page) => {
    // The statements of the guide; each step is in the callback of the one before, as the guide asks.
    const accounts = await new Promise((resolve, reject) => {
        Object.assign(page, { resolve, reject, soup: SOUP });
        vm.runInContext(`
            var sfSmartstore = function () {
              return cordova.require("com.salesforce.plugin.smartstore");
            };
            var acc = { id: "new", Name: "Cloud Inc", Description: "Getting started" };
            sfSmartstore().upsertSoupEntries(soup, [acc], function (accounts) {
              acc = accounts[0];
              acc["Description"] = "Just shipped our first app ";
              sfSmartstore().upsertSoupEntries(soup, [acc], function (accounts) {
                acc = accounts[0];
                navigator.smartStore.upsertSoupEntriesWithExternalId(
                  false, soup, [{ id: "new", Description: "By external ID" }], "id", resolve, reject);
              }, reject);
            }, reject);`, page);
    });
    const { _soupEntryId, _soupLastModifiedDate, ...others } = accounts[0];
    assert.equal(typeof _soupEntryId, 'number');
    assert.equal(typeof _soupLastModifiedDate, 'number');
    assert.equal(others.Description, 'By external ID');
    assert.equal(page.acc._soupEntryId, _soupEntryId, 'all upserts are of one entry');
    const all = await kit.smartstore.querySoup(SOUP, kit.smartstore.buildAllQuerySpec('id'));
    assert.equal(all.totalEntries, 1);
}));

test('requests of the guide reach the server', { skip: isReal && 'needs an org with known records' },
    withSoup(async (kit, page, store) => {
        const [saved] = await new Promise((resolve, reject) => {
            Object.assign(page, { resolve, reject, soup: SOUP, someSfdcId: '001xx' });
            vm.runInContext(`
                var acc = { id: "new", Name: "Cloud Inc", Description: "Getting started" };
                force.create(
                  "account",
                  {
                    Name: acc["Name"],
                    Description: acc["Description"],
                  },
                  function (result) {
                    acc["id"] = result["id"];
                    sfSmartstore().upsertSoupEntries(soup, [acc]);
                    force.update("account", acc["id"], { Description: acc["Description"] });
                    force.retrieve("account", someSfdcId, "id,Name,Description", function (result) {
                      sfSmartstore().upsertSoupEntriesWithExternalId(soup, [result], "id", resolve, reject);
                    }, reject);
                  },
                );`, page);
        });
        assert.equal(saved.Description, 'From the server');
        assert.deepEqual(store.requests, [
            ['POST', '/v66.0/sobjects/account', { Name: 'Cloud Inc', Description: 'Getting started' }],
            ['PATCH', '/v66.0/sobjects/account/001xx', { Description: 'Getting started' }],
            ['GET', '/v66.0/sobjects/account/001xx', { fields: 'id,Name,Description' }],
        ]);
    }));

test('a cursor moves over the pages of a query', withSoup(async (kit) => {
    const { smartstore } = kit;
    await smartstore.upsertSoupEntries(SOUP, RANKS);
    const ranks = (cursor) => cursor.currentPageOrderedEntries.map(({ rank }) => rank);
    const spec = smartstore.buildRangeQuerySpec('rank', 1, null, 'descending', 4);
    const first = await smartstore.querySoup(SOUP, spec);
    assert.deepEqual([first.totalEntries, first.totalPages, first.currentPageIndex, ranks(first)],
        [6, 2, 0, [6, 5, 4, 3]]);
    const second = await smartstore.moveCursorToNextPage(first);
    assert.deepEqual([second.currentPageIndex, ranks(second)], [1, [2, 1]]);
    const { error } = await outcome((ok, fail) => smartstore.moveCursorToNextPage(second, ok, fail));
    assert.match(error.message, /^moveCursorToNextPage/);
    assert.deepEqual(ranks(await smartstore.moveCursorToPreviousPage(second)), [6, 5, 4, 3]);
    assert.deepEqual(ranks(await smartstore.moveCursorToPageIndex(second, 1)), [2, 1]);
    assert.equal(await smartstore.closeCursor(first), 'OK');
    assert.equal(await smartstore.closeCursor(first), 'OK', 'a cursor may be closed twice');
    assert.match(await rejection(smartstore.moveCursorToPageIndex(first, 0)), /^Invalid cursor id/);
}));

test('select paths give arrays of values', withSoup(async ({ smartstore }) => {
    await smartstore.upsertSoupEntries(SOUP, RANKS);
    const spec = smartstore.buildExactQuerySpec('id', 'r3', null, null, null, ['name', 'id', 'name']);
    assert.deepEqual((await smartstore.querySoup(SOUP, spec)).currentPageOrderedEntries, [['row 3', 'r3', 'row 3']]);
}));

test('entries are retrieved and removed', withSoup(async ({ smartstore }) => {
    const saved = await smartstore.upsertSoupEntries(SOUP, RANKS);
    const ids = saved.map(({ _soupEntryId }) => _soupEntryId);
    const wanted = [ids[5], ids[2], ids[5] + 1000];
    assert.deepEqual(await smartstore.retrieveSoupEntries(SOUP, wanted), [saved[5], saved[2]]);
    assert.equal(await smartstore.removeFromSoup(SOUP, [ids[5]]), 'OK');
    assert.deepEqual(await smartstore.retrieveSoupEntries(SOUP, wanted), [saved[2]]);
    await smartstore.removeFromSoup(SOUP, smartstore.buildRangeQuerySpec('rank', 0, 2, null, 1));
    const left = await smartstore.querySoup(SOUP, smartstore.buildAllQuerySpec('rank'));
    assert.deepEqual(left.currentPageOrderedEntries.map(({ rank }) => rank), [3, 4, 6]);
}));

test('text beyond the BMP and large integers survive', withSoup(async ({ smartstore }) => {
    const [saved] = await smartstore.upsertSoupEntries(SOUP,
        [{ id: 'x', text: '\u{1F600} \u2028 \\ "', n: 9007199254740991, at: new Date(0) }]);
    const [read] = await smartstore.retrieveSoupEntries(SOUP, [saved._soupEntryId]);
    assert.equal(read.text, '\u{1F600} \u2028 \\ "');
    assert.equal(read.n, 9007199254740991);
    assert.equal(read.at, '1970-01-01T00:00:00.000Z');
}));

test('errors reach the error callback', withSoup(async ({ smartstore }) => {
    const spec = smartstore.buildAllQuerySpec('id');
    const { error } = await outcome((ok, fail) => smartstore.querySoup(`${SOUP}x`, spec, ok, fail));
    assert.equal(typeof error, 'string');
    assert.ok(error.includes(`${SOUP}x`), error);
    assert.equal(typeof await rejection(smartstore.registerSoup(null, [{ path: 'id', type: 'string' }])), 'string');
    assert.equal(typeof await rejection(smartstore.registerSoup(`${SOUP}x`, [])), 'string');
    assert.equal(await smartstore.soupExists(`${SOUP}x`), false);
    assert.equal(await smartstore.removeSoup(`${SOUP}x`), 'OK', 'a soup that never was');
}));

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// The samples of the guide with `soup bridge` and a local org, in a context of Node and in Chromium.

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { after, before, describe, test } = require('node:test');
const vm = require('node:vm');
const { Chromium } = require('./support/chromium.js');
const { prepare, samples } = require('./support/guide-samples.js');
const { ServedBridge, skip } = require('./support/served-bridge.js');

const configuration = resolve(__dirname, '../SoupKitTests/Fixtures/guide-related-records');
const files = Object.fromEntries(['userstore.json', 'usersyncs.json'].map((name) =>
    [name, JSON.parse(readFileSync(join(configuration, name), 'utf8'))]));

/** A context of Node's `vm` as the page: `run` calls a function in it. */
class NodePage {
    static async open(served) {
        const page = new NodePage();
        page.context = vm.createContext({ console });
        page.kit = await served.connect({ globals: page.context });
        return page;
    }

    async run(code, ...values) {
        const value = await vm.runInContext(`(${code})(...${JSON.stringify(values)})`, this.context);
        // As in Chromium, the value is passed on as JSON.
        return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    }

    async close() { this.kit.close(); }
}

/** A page of Chromium that loads soupkit.js as a classic script. */
class ChromiumPage {
    static async open(served) {
        const page = new ChromiumPage();
        page.browser = await Chromium.start();
        page.page = await page.browser.open(served.url);
        await page.page.evaluate(async (secret) => {
            globalThis.kit = await soupkit.connect({ url: location.origin, secret, globals: true });
        }, served.secret);
        return page;
    }

    run(code, ...values) { return this.page.evaluate(code, ...values); }

    async close() {
        assert.deepEqual(this.page.errors, []);
        await this.browser.close();
    }
}

const environments = {
    Node: { open: NodePage.open, skip },
    Chromium: { open: ChromiumPage.open, skip: skip || (!Chromium.find() && 'there is no Chromium') },
};

for (const [name, environment] of Object.entries(environments)) {
    describe(`the guide in ${name}`, { skip: environment.skip, concurrency: 1 }, () => {
        let served;
        let page;
        let serverId;
        before(async () => {
            served = await ServedBridge.start({ files });
            page = await environment.open(served);
            await page.run(prepare);
            const accounts = (await served.records('Account')).map(({ Id, Name }) => [Name, Id]).sort();
            [[, serverId]] = accounts;
        });
        after(async () => {
            try {
                await page?.close();
            } finally {
                await served?.stop();
            }
        });

        /** Runs a sample; its soup has the name of the sample. */
        function sample(title, key, check) {
            test(title, { timeout: 300_000 }, async () => check(await page.run(samples[key], key, serverId)));
        }

        sample('an account is upserted, created on the server, updated and retrieved', 'upserts', async (found) => {
            const { Name, Description } = (await served.records('Account')).find(({ Id }) => Id === serverId);
            assert.deepEqual(found, {
                seen: [['number', true], [true, 'Just shipped our first app ']],
                created: ['string', true],
                entries: [
                    [true, 'Cloud Inc', 'Just shipped our first app '], [true, Name, Description],
                ].sort((left, right) => (left[1] < right[1] ? -1 : 1)),
            });
            const created = (await served.records('Account')).filter((record) => record.Name === 'Cloud Inc');
            assert.deepEqual(created.map((record) => record.Description), ['Now shipping for iOS and Android']);
        });

        sample('both overloads of the upserts use their store', 'overloads', (found) => {
            const store = (storeName) => ({ storeName, isGlobalStore: true });
            assert.deepEqual(found, [
                [[['user']], [['global']], [['other']]], [store('defaultStore'), store('other')], [store('defaultStore')],
            ]);
        });

        sample('several entries with an external ID are an error', 'ambiguousExternalId', ([kind, message, entries]) => {
            assert.equal(kind, 'error');
            assert.match(message, /key/);
            assert.deepEqual(entries, [['a', null], ['a', null]]);
        });

        sample('the builders of query specs find and sort', 'builders', (found) => {
            const [likeIds, likeNames] = [0, 1].map((column) => found.likeSelected.map((row) => row[column]));
            assert.deepEqual(likeIds.map((id) => typeof id), ['number', 'number']);
            delete found.likeSelected;
            assert.deepEqual(likeNames, ['Zebra', 'abacus']);
            assert.deepEqual(found, {
                all: ['Zebra', 'abacus', 'Aardvark'],
                allDescending: ['Aardvark', 'abacus', 'Zebra'],
                allPage: ['Aardvark', 'abacus'],
                allSelected: [['Zebra', 1], ['abacus', 2], ['Aardvark', 3]],
                allSkipped: [[1], [2], [3]],
                exact: ['Zebra'],
                exactByParent: ['Aardvark', 'abacus'],
                range: ['Aardvark', 'Zebra'],
                rangeFrom: ['abacus', 'Aardvark'],
                rangeTo: ['abacus', 'Zebra'],
                rangeAll: ['Zebra', 'abacus', 'Aardvark'],
                like: ['abacus', 'Aardvark'],
                match: ['Zebra', 'abacus'],
                matchAnywhere: ['Aardvark'],
                matchPrefix: ['Aardvark'],
                smart: [[3]],
                doubleQuotes: [[1], [2]],
            });
        });

        sample('a cursor moves over the pages and not beyond them', 'cursors', (found) => {
            const page = (index, ...rows) => [index, 3, 7, 3, rows];
            assert.deepEqual(found, [
                page(0, 0, 1, 2), ['error', 'moveCursorToPreviousPage called while on first page'],
                page(1, 3, 4, 5), page(2, 6), page(1, 3, 4, 5), page(2, 6),
                ['error', 'moveCursorToNextPage called while on last page'], ['OK'], ['OK'],
                ['error', 'Invalid cursor id'], [0, 10, 0, 0, []],
            ]);
        });

        sample('entries are retrieved by ID, and removed by ID and by query', 'retrieving', (found) => {
            assert.deepEqual(found, { before: [4, 1], after: [1], removed: ['OK'], left: [[0], [1], [14]] });
        });

        sample('wrong arguments reach the error callback and change nothing', 'errors', (found) => {
            for (const [key, pattern] of Object.entries({
                unknownSoup: /there is no soup "errorsx"/, unknownSoupUpsert: /there is no soup "errorsx"/,
                noSoupName: /soupName is missing/, noIndexes: /index/, unknownType: /indexes\[0\]\.type/,
                noQueryType: /queryType/, badSql: /select/i, badEntry: /\[1\]|object/,
                badIds: /entryIds\[0\] must be a whole number/,
            })) {
                assert.match(found.messages[key], pattern, key);
            }
            assert.deepEqual(found.thrown, [
                'Smart queries can only be run using runSmartQuery', 'runSmartQuery can only run smart queries',
            ]);
            assert.deepEqual([found.exist, found.entries], [[true, false, false], []]);
        });

        sample('soups are registered, altered, cleared and removed', 'soups', (found) => {
            assert.deepEqual(found, {
                seen: [
                    'soups', 'soups', [{ path: 'b', type: 'string' }, { path: 'a', type: 'floating' }], 'soups',
                    [{ path: 'c', type: 'string' }], 'soups', 1, 'OK', 0, 'OK', 'OK', false,
                ],
                hasSize: true,
            });
        });

        sample('changes of the page are synced', 'syncs', async (found) => {
            const count = found.count;
            const row = (name, status, totalSize, progress = status === 'DONE' ? 100 : 0) => ({
                type: 'syncDown', name, soupName: 'syncs', status, progress, totalSize, isGlobalStore: false,
                storeName: 'defaultStore',
            });
            assert.deepEqual([found.answer, found.first], [row('syncsDown', 'RUNNING', -1), row('syncsDown', 'RUNNING', -1)]);
            assert.deepEqual(found.last, row('syncsDown', 'DONE', count));
            assert.equal(found.target.query, 'SELECT Id, Name, LastModifiedDate FROM Account ORDER BY Name');
            assert.equal(found.options.mergeMode, 'OVERWRITE');
            const { name, ...up } = { ...row(undefined, 'DONE', 3), type: 'syncUp' };
            assert.deepEqual(found.up, up);
            assert.deepEqual(
                found.pushed.filter(([kind, title]) => kind === 'edited' || title === 'Created'),
                [[true, 'Created', false], ['edited', 'Renamed', false]]);
            assert.equal(found.pushed.every(([kind, , local]) => kind && local === false), true);
            assert.equal(found.pushed.length, count);
            const { status, progress } = found.again;
            assert.deepEqual([status, progress, found.status], ['DONE', 100, 'DONE']);
            assert.deepEqual([found.missing, found.deleted, found.taken, found.unknown], [null, null, 'error', 'error']);
            const records = await served.records('Account');
            const names = Object.fromEntries(records.map(({ Id, Name }) => [Id, Name]));
            assert.deepEqual(
                [names[serverId], names[found.createdId], names[found.removed]], ['Renamed', 'Created', undefined]);
        });

        sample('records are synced with their children', 'relatedRecords', async (found) => {
            assert.deepEqual(found.down, ['DONE', 100, '']);
            assert.deepEqual([found.names, found.contacts], [['Acme'], ['Adler']]);
            assert.deepEqual([found.up, found.dirty], [['DONE', 100, ''], [0, 0]]);
            const account = (await served.records('Account')).find(({ Id }) => Id === found.accountId);
            assert.equal(account.Description, 'From the page');
            const children = (await served.records('Contact')).filter(({ LastName }) => LastName === 'Child');
            assert.deepEqual(children.map(({ AccountId }) => AccountId), [found.accountId]);
        });

        sample('the record that the server no longer has is removed', 'ghosts', (found) => {
            assert.deepEqual(found, [2, 1, [true]]);
        });

        sample('values are kept', 'values', (found) => {
            assert.deepEqual(found, {
                text: '\u{1F600} \u2028 \\ " \u0000 é', least: -9007199254740991, fraction: 0.30000000000000004,
                at: '1970-01-01T00:00:00.000Z', nothing: null, list: [1, [null]], empty: {},
            });
        });
    });
}

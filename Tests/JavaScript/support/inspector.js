// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const { spawn } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { SOUP, startCommand } = require('./served-bridge.js');

const sample = resolve(__dirname, '../../../Samples/ContactsExplorer');
const markupSoup = '<b>"notes"</b> & \'more\'';
const index = (path, type) => ({ path, type });

const soups = [
    {
        soupName: 'contacts', indexes: [
            index('Id', 'string'), index('LastName', 'string'), index('Title', 'full_text'),
            index('Description', 'full_text'), index('Age', 'integer'), index('__local__', 'string'),
        ],
    },
    { soupName: 'empty', indexes: [index('Id', 'string')] },
    { soupName: 'fetched', indexes: [index('Id', 'string'), index('__local__', 'string')] },
    { soupName: markupSoup, indexes: [index('key', 'string')] },
];

/** Entries with values that a page can show wrongly, as texts, because JavaScript rounds some of the numbers. */
const notes = [
    '{"key":"numbers","big":9007199254740993,"decimal":1.50,"nothing":null,'
        + '"nested":{"list":[1,{"__proto__":{"a":1}}]}}',
    '{"key":"<img src=x onerror=alert(1)>","text":"</pre> \\"quoted\\" & \'more\'"}',
    JSON.stringify({ key: 'huge', text: 'x'.repeat(2_000_000) }),
];

/** Runs the command, and returns its output; a record that was refused is not an error. */
function run(list, { input = '', environment = {}, codes = [0] } = {}) {
    const child = spawn(SOUP, list, { env: { ...process.env, ...environment } });
    return new Promise((fulfill, reject) => {
        const output = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => { output[name] += data; });
        child.on('error', reject);
        child.on('close', (code) => {
            if (codes.includes(code)) fulfill(output.stdout);
            else reject(new Error(`soup ${list.join(' ')} ended with ${code}: ${output.stderr}`));
        });
        child.stdin.on('error', () => {});
        child.stdin.end(input);
    });
}

/** A configuration folder with a store; it can be copied while no process has it open. */
class Store {
    constructor(org, original = null) {
        this.org = org;
        this.folder = mkdtempSync(join(tmpdir(), 'soupkit-inspector-'));
        if (original) cpSync(original.folder, this.folder, { recursive: true });
    }

    get environment() { return { SOUP_INSTANCE_URL: this.org.line.url, SOUP_ACCESS_TOKEN: this.org.line.accessToken }; }

    run(list, options) {
        return run([...list, '--config', this.folder], { environment: this.environment, ...options });
    }

    upsert(soup, lines) { return this.run(['upsert', soup], { input: lines.join('\n') }); }

    /** Returns an entry as JSON. */
    async entry(soup, id) { return JSON.parse(await this.run(['retrieve', soup, String(id), '--json'])); }

    /** Returns the entries of the open conflicts. */
    async conflicts() {
        const lines = (await this.run(['conflicts', '--json'], { codes: [0, 1] })).split('\n').filter(Boolean);
        return lines.map((line) => JSON.parse(line).entryId);
    }

    /** Starts `soup inspect`. */
    async inspect(...list) {
        const command = await startCommand(
            SOUP, ['inspect', '--json', '--config', this.folder, ...list], this.environment);
        return { ...command, url: command.line.url, origin: new URL(command.line.url).origin };
    }

    remove() { rmSync(this.folder, { recursive: true, force: true }); }
}

/** A local org, a small store, and a copy of it with 100,000 contacts. */
class Inspected {
    static async start() {
        const inspected = new Inspected();
        try {
            await inspected.prepare();
        } catch (error) {
            await inspected.stop();
            throw error;
        }
        return inspected;
    }

    async prepare() {
        const folder = mkdtempSync(join(tmpdir(), 'soupkit-inspector-org-'));
        const seed = JSON.parse(readFileSync(join(sample, 'Org/seed.json')));
        seed.generate[0].count = 1996;
        writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
        this.org = await startCommand(SOUP, ['org', 'serve', '--json', '--admin', '--seed', join(folder, 'seed.json')]);
        rmSync(folder, { recursive: true });

        this.small = new Store(this.org);
        await this.#fillSmall();
        this.large = new Store(this.org, this.small);
        await this.large.upsert('contacts', Array.from({ length: 98_000 }, (_, number) => JSON.stringify({
            Id: `003${String(number).padStart(15, '0')}`, FirstName: `F${number % 97}`,
            LastName: `Last${String(number % 5000).padStart(4, '0')}`, Title: ['Engineer', 'Buyer', 'Head'][number % 3],
            Description: `number ${number}${number === 77_777 ? ' needle' : ''}`, Age: number % 90,
        })));
    }

    /** Fetches contacts, and makes three conflicts, a rejected change, and 30 created contacts. */
    async #fillSmall() {
        const { small } = this;
        const { syncs } = JSON.parse(readFileSync(join(sample, 'Config/usersyncs.json')));
        syncs.push({ ...syncs[0], syncName: 'fetchAll', soupName: 'fetched' });
        writeFileSync(join(small.folder, 'userstore.json'), JSON.stringify({ soups }));
        writeFileSync(join(small.folder, 'usersyncs.json'), JSON.stringify({ syncs }));
        await small.run(['sync', 'syncDownContacts']);
        await small.upsert(markupSoup, notes);
        const edits = [
            ['1', 'Title=Mine', 'Phone=+44 1'], ['3', 'Title=Mine', 'Department=Mine'], ['4', 'Title=Mine'],
            ['1500', 'FirstName=Rita', 'LastName=Reyes', 'Phone="0815"'],
        ];
        for (const edit of edits) await small.run(['edit', 'contacts', ...edit]);
        await this.admin('/_emu/clock', { advance: 5 });
        const ids = [];
        for (const id of [1, 3, 4]) ids.push((await small.entry('contacts', id)).Id);
        await this.delete(ids[0]);
        for (const [id, values] of [[ids[1], { Title: 'Theirs', Phone: '+47 1' }], [ids[2], { Title: 'Theirs' }]]) {
            await this.admin('/_emu/edit', { object: 'Contact', id, values, as: 'other' });
        }
        await small.run(['sync', 'syncUpContacts'], { codes: [1] });
        // They are before the rejected change, which is on the second page of the changes then.
        await small.upsert('contacts', Array.from({ length: 30 }, (_, number) => JSON.stringify({
            _soupEntryId: 101 + number, FirstName: 'New', LastName: `Contact ${number}`,
            attributes: { type: 'Contact' }, __local__: true,
            __locally_created__: true, __locally_updated__: false, __locally_deleted__: false,
        })));
    }

    /** Performs an administrative request of the org. */
    async admin(path, body) {
        const response = await fetch(this.org.line.url + path, {
            method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
        });
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }

    /** Sends a request, and returns the number of API requests that are used after it. */
    async usage() {
        const response = await fetch(`${this.org.line.url}/services/data/v66.0/limits`, {
            headers: { Authorization: `Bearer ${this.org.line.accessToken}` },
        });
        return Number(/api-usage=(\d+)/.exec(response.headers.get('Sforce-Limit-Info'))[1]);
    }

    async delete(id) {
        const response = await fetch(`${this.org.line.url}/services/data/v66.0/sobjects/Contact/${id}`, {
            method: 'DELETE', headers: { Authorization: `Bearer ${this.org.line.accessToken}` },
        });
        if (!response.ok) throw new Error(`DELETE ${id}: ${response.status} ${await response.text()}`);
    }

    async stop() {
        this.small?.remove();
        this.large?.remove();
        await this.org?.stop();
    }
}

// -- Functions that run in the page -----------------------------------------------------------------------------------

/** Returns the visible texts of a table: a list of lists of cells. */
function cellsOf(selector) {
    return [...document.querySelectorAll(`${selector} tr`)].filter((row) => row.checkVisibility())
        .map((row) => [...row.cells].map((cell) => cell.innerText.trim().replace(/\s+/g, ' ')));
}

module.exports = { Inspected, Store, markupSoup, cellsOf };

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const { cpSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { startCommand } = require('./served-bridge.js');

const sample = resolve(__dirname, '../../../Samples/ContactsExplorer');

/** The sample with a local org and a bridge of its own. The org can be stopped and started again. */
class ContactsExplorer {
    static async start(soup) {
        const explorer = new ContactsExplorer(soup);
        try {
            await explorer.startOrg();
            await explorer.startBridge();
        } catch (error) {
            await explorer.stop();
            throw error;
        }
        return explorer;
    }

    constructor(soup) {
        this.soup = soup;
        this.folder = mkdtempSync(join(tmpdir(), 'soupkit-contacts-'));
        this.config = join(this.folder, 'Config');
        this.port = '0';
        cpSync(join(sample, 'Config'), this.config, { recursive: true });
    }

    async startOrg() {
        this.org = await startCommand(this.soup, [
            'org', 'serve', '--json', '--admin', '--seed', join(sample, 'Org/seed.json'),
            '--state', join(this.folder, 'org.db'), '--port', this.port,
        ]);
        this.port = new URL(this.org.line.url).port;
        this.environment = { SOUP_INSTANCE_URL: this.org.line.url, SOUP_ACCESS_TOKEN: this.org.line.accessToken };
    }

    async startBridge() {
        this.bridge = await startCommand(
            this.soup, ['bridge', '--json', '--config', this.config, '--page', sample], this.environment);
    }

    /** The address of the page, with the secret of the bridge. */
    get url() { return `${this.bridge.line.url}/#${this.bridge.line.secret}`; }

    async stopOrg() {
        await this.org?.stop();
        this.org = null;
    }

    async stop() {
        await this.bridge?.stop();
        await this.stopOrg();
        rmSync(this.folder, { recursive: true, force: true });
    }

    // -- The server --------------------------------------------------------------------------------------------------

    async request(path, body) {
        const response = await fetch(this.org.line.url + path, {
            method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
            headers: { 'Content-Type': 'application/json' },
        });
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return response.json();
    }

    /** Returns the contacts of the org, without deleted ones. */
    async serverContacts() {
        return (await this.request('/_emu/state/Contact')).filter(({ IsDeleted }) => !IsDeleted);
    }

    /** Returns the org's contact with a last name; undefined if there is none. */
    async serverContact(lastName) {
        return (await this.serverContacts()).find(({ LastName }) => LastName === lastName);
    }

    /** Changes a contact on the server as another user. */
    async editOnServer(lastName, values) {
        // Dates have a resolution of a second, and a change must have another date than the version before.
        await this.request('/_emu/clock', { advance: 5 });
        const { Id } = await this.serverContact(lastName);
        await this.request('/_emu/edit', { object: 'Contact', id: Id, values, as: 'other' });
    }

    /** Delays the requests whose path contains a text, by milliseconds. */
    async delayRequests(path, ms) {
        await this.request('/_emu/faults', { match: { path }, do: { kind: 'latency', ms } });
    }

    async deleteOnServer(lastName) {
        await this.request('/_emu/clock', { advance: 5 });
        const { Id } = await this.serverContact(lastName);
        const response = await fetch(`${this.org.line.url}/services/data/v66.0/sobjects/Contact/${Id}`, {
            method: 'DELETE', headers: { Authorization: `Bearer ${this.org.line.accessToken}` },
        });
        if (!response.ok) throw new Error(`DELETE: ${response.status} ${await response.text()}`);
    }
}

module.exports = { ContactsExplorer, sample };

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const { spawn } = require('node:child_process');
const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const soupkit = require('../../../Sources/SoupBridge/JavaScript/soupkit.js');

/** The path of the command `soup`, and the reason why tests that need it are skipped; false if they are not. */
const { SOUP } = process.env;
const skip = SOUP ? false : 'SOUP is not set: set it to the path of the command soup';

/** Starts a process that prints a line of JSON when it is ready, in a folder, and returns that line and `stop`. */
function startCommand(executable, list, environment, cwd) {
    const child = spawn(executable, list, {
        cwd, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => { child.on('exit', resolve); });
    const stop = async () => {
        child.kill('SIGTERM');
        return ended;
    };
    const ready = new Promise((resolve, reject) => {
        let output = '';
        let diagnosis = '';
        child.stderr.on('data', (data) => { diagnosis += data; });
        child.stdout.on('data', (data) => {
            output += data;
            if (output.includes('\n')) resolve(JSON.parse(output.slice(0, output.indexOf('\n'))));
        });
        child.on('error', reject);
        ended.then((code) => reject(new Error(`${executable} ${list.join(' ')} ended with ${code}: ${diagnosis}`)));
    });
    return ready.then((line) => ({ line, stop, pid: child.pid }), async (error) => {
        await stop();
        throw error;
    });
}

/** A page that loads `soupkit.js` and does nothing else. */
const PAGE = '<!doctype html><meta charset="utf-8"><title>page</title><link rel="icon" href="data:,">'
    + '<script src="soupkit.js"></script>';

/** `soup bridge` and a local org, each in a process of its own. */
class ServedBridge {
    /**
     * @param {{files?: object, seed?: string, list?: string[], faults?: object[]}} options `files` are configuration
     *     files by name, `list` further arguments of `soup bridge`, `faults` the rules of the org.
     */
    static async start({ files = {}, seed = 'tiny', list = [] } = {}) {
        const served = new ServedBridge();
        try {
            mkdirSync(join(served.folder, 'page'));
            writeFileSync(join(served.folder, 'page/index.html'), PAGE);
            mkdirSync(served.config);
            for (const [name, value] of Object.entries(files)) {
                writeFileSync(join(served.config, name), JSON.stringify(value));
            }
            served.org = await startCommand(SOUP, ['org', 'serve', '--json', '--admin', '--seed', seed]);
            served.bridge = await startCommand(
                SOUP, ['bridge', '--json', '--config', 'Config', '--page', 'page', ...list],
                { SOUP_INSTANCE_URL: served.org.line.url, SOUP_ACCESS_TOKEN: served.org.line.accessToken },
                served.folder);
        } catch (error) {
            await served.stop();
            throw error;
        }
        return served;
    }

    constructor() {
        this.folder = mkdtempSync(join(tmpdir(), 'soupkit-bridge-'));
        this.config = join(this.folder, 'Config');
    }

    get url() { return this.bridge.line.url; }
    get secret() { return this.bridge.line.secret; }

    /** Connects a client of Node. */
    connect(options = {}) { return soupkit.connect({ url: this.url, secret: this.secret, ...options }); }

    /** Sends a request as a client would, and returns its status, its fields and its value. */
    async request(path, { session = 'test', headers = {}, ...options } = {}) {
        const response = await fetch(this.url + path, {
            headers: {
                Authorization: `Bearer ${this.secret}`, 'Content-Type': 'application/json',
                'X-Bridge-Session': session, ...headers,
            },
            ...options,
        });
        const text = await response.text();
        return { status: response.status, headers: response.headers, value: text && JSON.parse(text) };
    }

    /** Performs a call, and returns the answer `{ok}` or `{error}`. */
    async call(service, action, given = {}, session = 'test') {
        const body = JSON.stringify({ service, action, args: ['pluginSDKVersion:14.0.0', given] });
        return (await this.request('/bridge/exec', { method: 'POST', body, session })).value;
    }

    /** Performs an administrative request of the org. */
    async admin(path, body) {
        const response = await fetch(this.org.line.url + path, {
            method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
            headers: { 'Content-Type': 'application/json' },
        });
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return response.json();
    }

    /** Returns the records of an object in the org that are not deleted. */
    async records(object) {
        return (await this.admin(`/_emu/state/${object}`)).filter(({ IsDeleted }) => !IsDeleted);
    }

    async stop() {
        await this.bridge?.stop();
        await this.org?.stop();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

module.exports = { ServedBridge, SOUP, skip, startCommand };

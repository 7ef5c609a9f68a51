// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const http = require('node:http');
const soupkit = require('../../../Sources/SoupBridge/JavaScript/soupkit.js');

/** The text in the first place of the arguments of each call. */
const VERSION = 'pluginSDKVersion:14.0.0';
const STORE = 'com.salesforce.smartstore';
const SYNC = 'com.salesforce.mobilesync';
const NETWORK = 'com.salesforce.network';

/** A promise that a test resolves. */
function gate() {
    const result = {};
    result.promise = new Promise((resolve) => { result.open = resolve; });
    return result;
}

/** Waits until the tasks and timers that are due have run, several times. */
async function idle(rounds = 5) {
    for (let round = 0; round < rounds; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => setImmediate(resolve));
    }
}

/** Waits until a condition is true; fails after two seconds. */
async function until(condition) {
    for (let round = 0; round < 2000; round += 1) {
        if (condition()) return;
        await new Promise((resolve) => setTimeout(resolve, 1));
    }
    throw new Error(`the condition did not become true: ${condition}`);
}

/** An HTTP bridge that records calls and answers as the test decides. */
class FakeBridge {
    constructor() {
        this.secret = 'the secret';
        this.calls = [];
        this.streams = [];
        /** The number of requests for a stream. */
        this.openings = 0;
        /** Answers a call: returns the value, throws the error value, or returns `reply(status, body, type)`. */
        this.answer = () => 'OK';
        /** Answers a request for a stream, if it returns `reply(...)`. */
        this.openStream = () => null;
        this.server = http.createServer((request, response) => {
            this.handle(request, response).catch((error) => response.destroy(error));
        });
    }

    static async start() {
        const bridge = new FakeBridge();
        await new Promise((resolve) => bridge.server.listen(0, '127.0.0.1', resolve));
        bridge.port = bridge.server.address().port;
        bridge.url = `http://127.0.0.1:${bridge.port}`;
        return bridge;
    }

    /** Starts again after `stop`, at the same port. */
    async restart() {
        await new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    }

    async stop() {
        const closed = new Promise((resolve) => this.server.close(resolve));
        this.server.closeAllConnections();
        this.streams = [];
        await closed;
    }

    /** Connects a client whose attempts to connect again have no delays. */
    connect(options = {}) {
        return soupkit.connect({
            url: this.url, secret: this.secret, reconnectDelays: [0, 1, 1], pollInterval: 1, ...options,
        });
    }

    get last() { return this.calls[this.calls.length - 1]; }

    async handle(request, response) {
        const url = new URL(request.url, this.url);
        const session = request.headers['x-bridge-session'];
        if (request.headers.authorization !== `Bearer ${this.secret}`) {
            return this.send(response, reply(401, { error: 'the secret is wrong' }));
        }
        if (request.method === 'GET' && url.pathname === '/bridge/events') {
            return this.addStream(response, url.searchParams.get('session'), session);
        }
        let body = '';
        for await (const chunk of request.setEncoding('utf8')) body += chunk;
        const path = `${request.method} ${request.url}`;
        const call = { ...JSON.parse(body), session, body, path, type: request.headers['content-type'] };
        this.calls.push(call);
        return this.send(response, await this.outcome(call));
    }

    async outcome(call) {
        try {
            const value = await this.answer(call);
            if (value && value.isReply) return value;
            return reply(200, { ok: value === undefined ? null : value });
        } catch (error) {
            if (error instanceof Error) throw error;
            return reply(200, { error });
        }
    }

    send(response, { status, body, type, headers }) {
        if (status === 0) return response.destroy();
        response.writeHead(status, { 'Content-Type': type, ...headers });
        return response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }

    addStream(response, session, header) {
        this.openings += 1;
        const refusal = this.openStream();
        if (refusal) return this.send(response, refusal);
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
        const stream = { response, session, header };
        this.streams.push(stream);
        response.on('close', () => { this.streams = this.streams.filter((other) => other !== stream); });
        return undefined;
    }

    /** Sends an event to the streams of a session. */
    event(session, detail) {
        this.raw(session, `event: sync\ndata: ${JSON.stringify(detail)}\n\n`);
    }

    raw(session, text) {
        for (const stream of this.streams.filter((one) => one.session === session)) stream.response.write(text);
    }

    /** Ends all streams. */
    drop() {
        for (const { response } of this.streams) response.end();
    }
}

function reply(status, body, type = 'application/json', headers = {}) {
    return { isReply: true, status, body, type, headers };
}

/**
 * Counts the events that the client has read from streams.
 *
 * @returns an object with `count`, and `stop()`, which removes the observation.
 */
function observeStreams() {
    const original = globalThis.fetch;
    const observer = { count: 0, stop: () => { globalThis.fetch = original; } };
    globalThis.fetch = async (url, options) => {
        const response = await original(url, options);
        if (!String(url).includes('/bridge/events')) return response;
        const decoder = new TextDecoder();
        const counter = new TransformStream({
            transform(chunk, controller) {
                controller.enqueue(chunk);
                observer.count += decoder.decode(chunk, { stream: true }).split('\n\n').length - 1;
            },
        });
        return new Response(response.body.pipeThrough(counter), { status: response.status, headers: response.headers });
    };
    return observer;
}

/** Returns a row of a sync. */
function syncRow(id, status, members = {}) {
    return {
        _soupEntryId: id, type: 'syncDown', soupName: 'accounts', status, progress: status === 'DONE' ? 100 : 0,
        totalSize: -1, isGlobalStore: false, storeName: 'defaultStore', ...members,
    };
}

module.exports = {
    FakeBridge, reply, gate, idle, until, observeStreams, syncRow, soupkit, VERSION, STORE, SYNC, NETWORK,
};

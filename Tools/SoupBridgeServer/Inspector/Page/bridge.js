// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { parse, write } from './json.js';

/** An error that the server returned, or the failure to get an answer. */
export class BridgeError extends Error {
    /** @param {'service' | 'secret' | 'connection'} kind */
    constructor(message, kind) {
        super(message);
        this.kind = kind;
    }
}

/** The connection to `soup inspect`: calls, and the session that keeps the cursors of this page open. */
export class Bridge {
    /** The store of the calls, as the overview names it. */
    store = {};
    /** Called with a BridgeError when the connection is lost, and with null when it is open again. */
    onConnection = () => {};
    /** Called when the server reports the progress of a sync that this page started. */
    onSync = () => {};

    #secret;
    #session = crypto.randomUUID();

    constructor(secret) { this.#secret = secret; }

    /** Opens the session; it is opened again whenever the connection is lost. */
    async open() {
        const reader = await this.#openEvents();
        this.#readEvents(reader);
    }

    /** Performs an action of the inspector. */
    inspect(action, values = {}) { return this.#call('soupkit.inspector', action, values); }

    /** Performs an action of the stores. */
    query(action, values = {}) { return this.#call('com.salesforce.smartstore', action, { ...this.store, ...values }); }

    /** Performs an action of the conflicts. */
    conflicts(action, values = {}) { return this.#call('soupkit.conflicts', action, { ...this.store, ...values }); }

    /** Performs an action of the syncs. */
    sync(action, values = {}) { return this.#call('com.salesforce.mobilesync', action, { ...this.store, ...values }); }

    async #call(service, action, values) {
        const response = await this.#fetch('/bridge/exec', {
            method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Bridge-Session': this.#session },
            body: write({ service, action, args: [values] }),
        });
        const answer = parse(await response.text());
        if ('error' in answer) {
            const { error } = answer;
            throw new BridgeError(typeof error === 'string' ? error : write(error), 'service');
        }
        return answer.ok;
    }

    async #fetch(path, options = {}) {
        let response;
        try {
            response = await fetch(path, {
                ...options, cache: 'no-store', headers: { ...options.headers, Authorization: `Bearer ${this.#secret}` },
            });
        } catch {
            throw new BridgeError('The server does not answer. Start “soup inspect” again, and open its URL.', 'connection');
        }
        if (response.status === 401) {
            throw new BridgeError('The secret is not valid. Open the URL that “soup inspect” printed.', 'secret');
        }
        if (!response.ok) {
            const text = await response.text();
            let reason = text;
            try { reason = parse(text).error; } catch { /* The text itself is the reason. */ }
            throw new BridgeError(`The server refused the call (status ${response.status}): ${reason}`, 'connection');
        }
        return response;
    }

    async #openEvents() {
        const response = await this.#fetch(`/bridge/events?session=${this.#session}`);
        return response.body.pipeThrough(new TextDecoderStream()).getReader();
    }

    /** Reads the events until the connection is lost, then opens it again. */
    async #readEvents(reader) {
        for (;;) {
            try {
                for (;;) {
                    const { done, value } = await reader.read();
                    if (done) break;
                    if (value.includes('data:')) this.onSync();
                }
            } catch { /* The connection is lost. */ }
            reader = await this.#reopenEvents();
            if (!reader) return;
        }
    }

    async #reopenEvents() {
        for (let delay = 250; ; delay = Math.min(delay * 2, 5000)) {
            try {
                const reader = await this.#openEvents();
                this.onConnection(null);
                return reader;
            } catch (error) {
                this.onConnection(error);
                // Another server uses the port: its secret is another one.
                if (error.kind === 'secret') return null;
            }
            await new Promise((resolve) => { setTimeout(resolve, delay); });
        }
    }
}

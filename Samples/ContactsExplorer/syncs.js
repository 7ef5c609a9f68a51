// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

export const UP = 'syncUpContacts';
export const DOWN = 'syncDownContacts';
/** The time between two reads of the state of another page's sync, in milliseconds. */
const POLL_INTERVAL = 1000;
const ENDS = ['DONE', 'FAILED', 'STOPPED'];

/** Runs the syncs of Config/usersyncs.json. Dispatches `change` when the state of one changes. */
export class Syncs extends EventTarget {
    constructor(kit) {
        super();
        this.client = kit.mobilesyncClient;
        /** The latest rows of the syncs, by name. */
        this.rows = new Map();
        /** Functions that receive the last row of a running sync, by name. */
        this.waiting = new Map();
        /** The name of the sync that runs; null if none does. */
        this.running = null;
        kit.addEventListener('sync', ({ detail }) => this.receive(detail));
    }

    /** Reads the states of earlier runs, and of runs that other pages have started until they end. */
    async load() {
        clearTimeout(this.timer);
        for (const name of [UP, DOWN]) {
            const row = await this.client.getSyncStatus(name);
            // The events of a running sync are newer.
            if (row && !this.isRunning) this.rows.set(name, row);
        }
        this.notify();
        const isWaiting = !this.isRunning && [...this.rows.values()].some(({ status }) => status === 'RUNNING');
        if (isWaiting) this.timer = setTimeout(() => this.load().catch(() => {}), POLL_INTERVAL);
    }

    /**
     * Runs syncs one after another, and returns the last rows of those that ran.
     *
     * A sync that fails is the last one: it is run again before the next one begins.
     */
    async run(...names) {
        if (this.isRunning) return [];
        const results = [];
        try {
            for (const name of names) {
                const row = await this.runOne(name);
                results.push(row);
                if (row.status !== 'DONE') break;
            }
        } finally {
            this.running = null;
            this.notify();
        }
        return results;
    }

    get isRunning() { return this.running !== null; }

    async runOne(name) {
        this.running = name;
        const ended = new Promise((resolve) => { this.waiting.set(name, resolve); });
        try {
            // The events of the sync begin after this answer.
            this.set(name, await this.client.reSync(name));
            return await ended;
        } catch (error) {
            const row = { ...this.rows.get(name), name, status: 'FAILED', error: String(error) };
            this.set(name, row);
            return row;
        } finally {
            this.waiting.delete(name);
        }
    }

    receive(row) {
        if (![UP, DOWN].includes(row.name)) return;
        this.set(row.name, row);
        if (ENDS.includes(row.status)) this.waiting.get(row.name)?.(row);
    }

    set(name, row) {
        this.rows.set(name, row);
        this.notify();
    }

    notify() {
        this.dispatchEvent(new Event('change'));
    }
}

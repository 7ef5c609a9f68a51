// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, fill } from './elements.js';
import { count, duration, rate, time } from './format.js';
import { write } from './json.js';

const unsynced = { failed: 'Failed', unknown: 'Unknown outcome', conflicted: 'In conflict', skipped: 'Skipped' };
// The current rate is measured over the last seconds, because progress is stored in whole percents.
const rateWindow = 5000;

/** The syncs with their states; other processes run syncs too, so the states are read about once a second. */
export class SyncsView {
    title = 'Syncs';
    #rows = null;
    #cards = new Map();
    #samples = new Map();
    #timer = null;

    constructor(app) {
        this.app = app;
        this.list = element('div.cards', {});
        this.fault = element('div', {});
        this.root = element('section.view', { 'aria-label': 'Syncs' }, this.fault, this.list);
    }

    async show() { await this.#poll(); }

    hide() {
        clearTimeout(this.#timer);
        this.#timer = null;
    }

    async refresh() { await this.#poll(); }

    async #poll() {
        this.hide();
        if (document.visibilityState === 'visible') await this.#read();
        if (this.app.view === this) {
            this.hide();
            this.#timer = setTimeout(() => this.#poll(), 1000);
        }
    }

    async #read() {
        try {
            this.#rows = await this.app.bridge.inspect('syncs');
            fill(this.fault);
        } catch (error) {
            fill(this.fault, element('p.banner.danger', { role: 'alert' }, error.message));
            return;
        }
        const now = Date.now();
        for (const row of this.#rows) this.#sample(row, now);
        this.app.setRunning(this.#rows.filter(({ status }) => status === 'RUNNING').length);
        this.#render(now);
    }

    /** Notes the number of records of a running sync. */
    #sample(row, now) {
        const id = row._soupEntryId;
        const records = recordsOf(row);
        // The number is unknown until the first response of the server.
        if (row.status !== 'RUNNING' || records === null) {
            this.#samples.delete(id);
            return;
        }
        let list = this.#samples.get(id) ?? [];
        if (list.length && list[0].start !== row.startTime) list = [];
        list.push({ time: now, start: row.startTime, records });
        while (list.length > 2 && now - list[1].time >= rateWindow) list.shift();
        this.#samples.set(id, list);
    }

    #render(now) {
        if (this.#rows.length === 0) {
            this.#cards.clear();
            fill(this.list, element('p.hint', {}, 'The store has no syncs.'));
            return;
        }
        const cards = new Map(this.#rows.map((row) => {
            const id = row._soupEntryId;
            const card = this.#cards.get(id) ?? new SyncCard(row, this.app, () => this.#start(id));
            card.update(row, this.#samples.get(id) ?? [], now);
            return [id, card];
        }));
        const isSame = cards.size === this.#cards.size && [...cards.keys()].every((id) => this.#cards.has(id));
        this.#cards = cards;
        if (!isSame || this.list.childElementCount !== cards.size) fill(this.list, [...cards.values()].map(({ root }) => root));
    }

    async #start(syncId) {
        try {
            await this.app.bridge.sync('reSync', { syncId });
        } catch (error) {
            this.app.report(error);
        }
        await this.#poll();
    }
}

/** The state of one sync; an update changes texts only, so that the focus and open details stay. */
class SyncCard {
    constructor(row, app, start) {
        const title = row.name ?? `Sync ${row._soupEntryId}`;
        const direction = row.type === 'syncUp' ? 'up' : 'down';
        this.app = app;
        this.title = title;
        this.status = element('span.tag', {});
        this.bar = element('progress', { max: '100', 'aria-label': `Progress of ${title}` });
        this.percent = element('span.percent', {});
        this.facts = element('dl.facts', {});
        this.error = element('p.banner.danger', { hidden: true });
        this.run = app.overview.isWritable ? button('button.small', start, { 'aria-label': `Run ${title}` }, 'Run') : null;
        this.root = element('article.card', { 'aria-label': title },
            element('div.card-title', {}, element('h2', {}, title), this.status,
                element('span.hint', {}, `sync ${direction} · ${row.soupName} · ID ${row._soupEntryId}`), this.run),
            element('div.progress', {}, this.bar, this.percent), this.facts, this.error,
            element('details', {}, element('summary', {}, 'Target and options'),
                element('pre.json', { tabindex: '0' }, write({ target: row.target, options: row.options }, 2))));
    }

    update(row, samples, now) {
        const isRunning = row.status === 'RUNNING';
        if (this.lastStatus && this.lastStatus !== row.status) this.app.announce(`${this.title}: ${row.status}`);
        this.lastStatus = row.status;
        this.status.textContent = row.status;
        this.status.className = `tag ${{ RUNNING: 'info', DONE: 'success', FAILED: 'danger', STOPPED: 'warning' }[row.status] ?? ''}`;
        this.bar.value = row.progress;
        this.percent.textContent = `${row.progress} %`;
        if (this.run) this.run.disabled = isRunning;
        this.error.textContent = reasonOf(row);
        this.error.hidden = !this.error.textContent;
        const facts = factsOf(row, samples, now);
        const text = write(facts);
        if (text === this.lastFacts) return;
        this.lastFacts = text;
        fill(this.facts, facts.map(([name, value, kind]) =>
            element('div', { class: kind }, element('dt', {}, name), element('dd', {}, value))));
    }
}

/** Returns the reason why the last run ended early; empty if it did not, and if the user stopped it. */
function reasonOf({ error, waitingForLogin, pausedAtUsage }) {
    if (waitingForLogin) return 'The session has expired. Log in, then run the sync again.';
    if (!pausedAtUsage) return error;
    const [used, maximum] = pausedAtUsage.map(count);
    return `${used} of ${maximum} API requests of 24 hours are used. Run the sync again later: it continues from there.`;
}

/** Returns the number of records that a run has processed; null while it is unknown. */
function recordsOf({ totalSize, progress }) { return totalSize < 0 ? null : totalSize * progress / 100; }

function factsOf(row, samples, now) {
    const isRunning = row.status === 'RUNNING';
    const records = recordsOf(row);
    const elapsed = row.startTime > 0 ? (isRunning ? now : row.endTime) - row.startTime : 0;
    const facts = [['Records', records === null ? 'unknown' : isRunning
        ? `${count(Math.round(records))} of ${count(row.totalSize)}` : count(row.totalSize)]];
    if (isRunning) {
        const [first, last] = [samples[0], samples.at(-1)];
        const span = samples.length > 1 ? last.time - first.time : 0;
        facts.push(['Rate now', span > 0 ? rate((last.records - first.records) / span * 1000) : '…']);
    }
    facts.push(['Average rate', records > 0 && elapsed > 0 ? rate(records / elapsed * 1000) : '–']);
    facts.push([isRunning ? 'Running for' : 'Duration', elapsed > 0 ? duration(elapsed) : '–']);
    facts.push(['Started', row.startTime > 0 ? time(row.startTime) : 'never']);
    for (const [name, title] of Object.entries(unsynced)) {
        if (row[name] > 0) facts.push([title, count(row[name]), 'alert']);
    }
    return facts;
}

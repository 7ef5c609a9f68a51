// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { comparison } from './compare.js';
import { confirmed } from './dialogs.js';
import { button, element, fill } from './elements.js';
import { markRow, stateTags } from './entries.js';
import { count, counted, excerpt } from './format.js';
import { isEqual, isObject } from './json.js';
import { Panel, jsonBlock } from './panel.js';
import { changeOf, errorOf, isSystemField, titleOf } from './records.js';
import { pager, table } from './table.js';

const pageSize = 25;

/** The local changes of a soup, and one of them next to the synced version and the error of the last push. */
export class ChangesView {
    title = 'Changes';
    #soup = null;
    #page = 0;
    #rejectedOnly = false;
    #answer = null;
    #run = 0;

    constructor(app) {
        this.app = app;
        this.panel = new Panel(app);
        this.soups = element('div.choices', { role: 'group', 'aria-label': 'Soups with local changes' });
        this.root = element('section.view', { 'aria-label': 'Changes' }, this.soups, this.panel.root);
    }

    async show(place) {
        const { soup, id } = place;
        const name = soup ?? this.#changedSoups()[0]?.name ?? null;
        if (name !== this.#soup || !this.#answer || id === undefined && !this.panel.isOpen) {
            if (name !== this.#soup) {
                [this.#soup, this.#page, this.#rejectedOnly, this.#answer] = [name, 0, false, null];
                fill(this.panel.list);
            }
            await this.#read();
        }
        // The user went on while the list was read.
        if (this.app.place !== place) return;
        if (id === undefined) this.panel.close();
        else await this.#open(id);
    }

    async refresh() {
        if (!this.#soup) this.#soup = this.#changedSoups()[0]?.name ?? null;
        await this.#read();
        const { id } = this.app.place;
        if (id !== undefined) await this.#open(id);
    }

    /** Shows the numbers of the current overview. */
    update() {
        this.#showSoups();
        // The first change of the store: there is a list to show now.
        if (!this.#soup && this.#changedSoups().length) this.refresh();
    }

    nextPage() { this.#move(this.#page + 1); }
    previousPage() { this.#move(this.#page - 1); }

    #changedSoups() { return this.app.overview.soups.filter(({ dirty }) => dirty > 0); }

    #showSoups() {
        const soups = this.#changedSoups();
        if (this.#soup && !soups.some(({ name }) => name === this.#soup)) {
            soups.unshift(this.app.soup(this.#soup) ?? { name: this.#soup, dirty: 0 });
        }
        const focused = document.activeElement?.dataset?.choice;
        fill(this.soups, soups.map(({ name, dirty }) => button('button.choice',
            () => this.app.go({ view: 'changes', soup: name }), {
                'aria-pressed': String(name === this.#soup), 'data-choice': name,
            }, name, element('span.badge.warning', {}, count(dirty)))));
        if (focused) this.soups.querySelector(`[data-choice="${CSS.escape(focused)}"]`)?.focus();
    }

    async #read() {
        const run = ++this.#run;
        this.#showSoups();
        if (!this.#soup) {
            this.#answer = null;
            fill(this.panel.list, element('p.hint', {}, 'The store has no local changes.'));
            return;
        }
        try {
            const answer = await this.app.bridge.inspect('dirty', {
                soupName: this.#soup, page: this.#page, pageSize, rejectedOnly: this.#rejectedOnly,
            });
            if (run !== this.#run) return;
            this.#answer = answer;
            this.#render();
        } catch (error) {
            if (run !== this.#run) return;
            this.#answer = null;
            fill(this.panel.list, element('p.banner.danger', { role: 'alert' }, error.message));
        }
    }

    async #move(page) {
        if (!this.#answer || page < 0 || page * pageSize >= this.#answer.total) return;
        this.#page = page;
        await this.#read();
    }

    #render() {
        const { total, rows, rejected } = this.#answer;
        const selected = this.app.place.id;
        const filter = rejected > 0 && element('label.toggle', {}, element('input', {
            type: 'checkbox', checked: this.#rejectedOnly, onchange: (event) => {
                [this.#rejectedOnly, this.#page] = [event.target.checked, 0];
                this.#read();
            },
        }), `Rejected only (${count(rejected)})`);
        fill(this.panel.list, element('div.pager-row', {}, pager({
            index: this.#page, pages: Math.ceil(total / pageSize), size: pageSize, total, noun: 'local changes',
            go: (page) => this.#move(page),
        }), filter), rows.length > 0 && table({
            caption: `Local changes of ${this.#soup}`, rows,
            open: ({ entry }) => this.app.go({ view: 'changes', soup: this.#soup, id: entry._soupEntryId }),
            isSelected: ({ entry }) => entry._soupEntryId === selected,
            columns: [
                { title: 'Entry', class: 'id', cell: ({ entry }) => String(entry._soupEntryId) },
                { title: 'Change', class: 'state', cell: ({ entry }) => stateTags(entry) },
                { title: 'Record', class: 'value-cell', cell: ({ entry }) => excerpt(titleOf(entry), 60) },
                { title: 'Fields', class: 'value-cell', cell: (row) => excerpt(changedFields(row).join(', '), 60) },
                { title: 'Last error', class: 'message', cell: ({ error }) =>
                    excerpt(errorOf(error)?.message ?? '', 80) },
            ],
        }));
        this.app.announce(counted(total, 'local change'));
    }

    async #open(id) {
        const row = this.#answer?.rows.find(({ entry }) => entry._soupEntryId === id) ?? await this.#find(id);
        if (this.app.place.id !== id) return;
        markRow(this.panel.list, (one) => one.textContent === String(id));
        if (!row) {
            this.panel.open(`Entry ${id}`, [], element('p.hint', {}, 'The entry has no local changes.'));
            return;
        }
        const { entry, base } = row;
        const error = errorOf(row.error);
        const isDeleted = changeOf(entry) === 'deleted';
        const noBase = changeOf(entry) === 'created' ? 'The record is not on the server yet' : 'The synced version is not known';
        this.panel.open(`Entry ${id} of ${this.#soup}`, stateTags(entry),
            error ? element('div.banner.danger', {}, element('p', {}, element('strong', {}, 'Last push: '),
                element('code', {}, error.code)), element('p', {}, error.message),
            error.fields.length > 0 && element('p', {}, `Fields: ${error.fields.join(', ')}`))
                : element('p.hint', {}, 'There is no error of a push for this entry.'),
            this.app.overview.isWritable && element('div.buttons', {}, button('button.danger',
                () => this.#discard(id), {}, 'Discard local changes')),
            comparison({
                caption: 'Synced version, local version and last error', error,
                versions: [
                    { title: 'Base (synced)', record: base, absent: noBase },
                    { title: 'Local', record: isDeleted ? null : entry, absent: 'deleted' },
                ],
            }),
            jsonBlock('Entry as JSON', entry, (text) => this.app.announce(text)));
    }

    /** Returns an entry that is on another page. */
    async #find(id) {
        const [entry] = await this.app.bridge.query(
            'pgRetrieveSoupEntries', { soupName: this.#soup, entryIds: [id] }).catch(() => []);
        if (!entry || !changeOf(entry)) return null;
        // The list is in the order of the IDs: the page of an entry is found by halving.
        let [low, high] = [0, Math.max(0, Math.ceil((this.#answer?.total ?? 0) / pageSize) - 1)];
        while (low <= high) {
            const page = (low + high) >> 1;
            const answer = await this.app.bridge.inspect('dirty', { soupName: this.#soup, page, pageSize })
                .catch(() => null);
            const ids = answer?.rows.map((row) => row.entry._soupEntryId) ?? [];
            if (ids.includes(id)) return answer.rows[ids.indexOf(id)];
            if (ids.length === 0 || id < ids[0]) high = page - 1;
            else low = page + 1;
        }
        return { entry, base: null, error: entry.__last_error__ ?? null };
    }

    async #discard(id) {
        const text = `The entry ${id} of ${this.#soup} gets its last synced values. An entry that the server does not `
            + 'have yet is removed.';
        if (!await confirmed('Discard local changes?', text, 'Discard')) return;
        if (!await this.app.write('discard', { soupName: this.#soup, entryIds: [id] })) return;
        this.app.announce('The local changes are discarded.');
        this.app.close();
        await this.app.refresh();
    }
}

/** Returns the names of the fields that a change affects. */
function changedFields({ entry, base }) {
    if (!isObject(base) || changeOf(entry) === 'deleted') return [];
    const names = new Set([...Object.keys(entry), ...Object.keys(base)]);
    return [...names].filter((name) => !isSystemField(name) && !isEqual(entry[name], base[name]));
}

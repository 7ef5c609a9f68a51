// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, fill, hiddenText } from './elements.js';
import { count, counted, duration, excerpt, time } from './format.js';
import { Panel, jsonBlock } from './panel.js';
import { changeOf, errorOf, isSystemField, titleOf, valueAt } from './records.js';
import { parse } from './json.js';
import { pageSizes, pager, shortValue, table } from './table.js';

const entryId = '_soupEntryId';
const maximumColumns = 5;
const typingPause = 200;

/** The entries of a soup: its index specs, a search, pages, and an entry in full. */
export class EntriesView {
    title = 'Soups';
    #soup = null;
    #cursor = null;
    #run = 0;
    #order = { path: entryId, descending: false };
    #pageSize = 25;

    constructor(app) {
        this.app = app;
        this.panel = new Panel(app);
        this.root = element('section.view', { 'aria-label': 'Entries' });
        this.results = element('div.results', {});
    }

    async show(place) {
        const { soup, id } = place;
        if (soup !== this.#soup || !this.#cursor) {
            this.#soup = soup;
            // The rows of another soup must not be opened in this one.
            this.#close(this.#cursor);
            this.#cursor = null;
            fill(this.results);
            this.#order = { path: entryId, descending: false };
            this.#build();
            await this.#query();
        }
        // The user went on while the list was read.
        if (this.app.place !== place) return;
        if (id === undefined) this.panel.close();
        else await this.#open(id);
    }

    /** Reads the page again. */
    async refresh() {
        await this.#query(this.#cursor?.currentPageIndex ?? 0);
        const { id } = this.app.place;
        if (id !== undefined) await this.#open(id, { isFresh: true });
    }

    search() {
        this.text.focus();
        this.text.select();
    }

    nextPage() { this.#move((this.#cursor?.currentPageIndex ?? 0) + 1); }
    previousPage() { this.#move((this.#cursor?.currentPageIndex ?? 0) - 1); }

    get #specs() { return this.app.soup(this.#soup)?.indexes ?? []; }

    // MARK: Search

    #build() {
        const soup = this.app.soup(this.#soup);
        const specs = this.#specs;
        const fullText = specs.filter(({ type }) => type === 'full_text');
        const others = specs.filter(({ type }) => type !== 'full_text');
        const option = (value, text) => element('option', { value }, text);
        this.field = element('select', { onchange: () => this.#chooseField() },
            fullText.length > 0 && option('*', fullText.length > 1 ? 'Full text of all paths' : 'Full text'),
            fullText.length > 1 && fullText.map(({ path }) => option(`*${path}`, `Full text of ${path}`)),
            others.map(({ path }) => option(path, path)), option(entryId, 'Entry ID'));
        this.operator = element('select', { onchange: () => this.#chooseOperator() });
        this.text = element('input', {
            type: 'search', autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Search text', id: 'search',
            oninput: () => this.#typed(),
        });
        this.end = element('input', {
            type: 'search', autocomplete: 'off', 'aria-label': 'End of the range', oninput: () => this.#typed(),
        });
        const soups = element('select.title', {
            'aria-label': 'Soup', onchange: (event) => this.app.go({ view: 'entries', soup: event.target.value }),
        }, this.app.overview.soups.map(({ name }) => element('option', { selected: name === this.#soup }, name)));
        fill(this.panel.list,
            element('form.search', { role: 'search', onsubmit: (event) => { event.preventDefault(); this.#query(); } },
                element('label', {}, 'Search in ', this.field), element('label', {}, hiddenText('Comparison '), this.operator),
                this.text, this.end),
            this.results);
        const paths = specs.map(({ path, type }) =>
            element('tr', {}, element('th', { scope: 'row' }, path), element('td', {}, type)));
        fill(this.root,
            element('div.view-title', {}, button('button.link', () => this.app.go({ view: 'soups' }), {}, 'Soups'),
                element('span', { 'aria-hidden': 'true' }, '/'), soups,
                element('span.hint', {}, counted(soup?.entries ?? 0, 'entry', 'entries')),
                soup?.dirty > 0 && button('button.badge.warning',
                    () => this.app.go({ view: 'changes', soup: this.#soup }), {}, counted(soup.dirty, 'local change'))),
            element('details.specs', {}, element('summary', {}, `${counted(specs.length, 'index spec')}: `,
                element('span.paths', {}, specs.map(({ path }) => path).join(', '))),
            element('table', {}, element('thead', {}, element('tr', {},
                element('th', { scope: 'col' }, 'Path'), element('th', { scope: 'col' }, 'Type'))),
            element('tbody', {}, paths))),
            this.panel.root);
        this.#chooseField();
    }

    #chooseField() {
        const field = this.field.value;
        const operators = field.startsWith('*')
            ? [['words', 'has the words'], ['match', 'matches the expression']]
            : field === entryId
                ? [['exact', 'is'], ['range', 'is between']]
                : [['contains', 'contains'], ['begins', 'begins with'], ['exact', 'is'], ['range', 'is between']];
        fill(this.operator, operators.map(([value, text]) => element('option', { value }, text)));
        this.#chooseOperator();
    }

    #chooseOperator() {
        this.end.hidden = this.operator.value !== 'range';
        const isRange = this.operator.value === 'range';
        this.text.placeholder = isRange ? 'From' : this.operator.value === 'match' ? 'Words, AND, OR, NOT, prefix*' : 'Text';
        this.end.placeholder = 'To';
        if (this.text.value || this.end.value) this.#query();
    }

    #typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.#query(), typingPause);
    }

    get #isSearch() { return Boolean(this.text.value.trim() || !this.end.hidden && this.end.value.trim()); }

    /** Returns the query spec of the form. */
    #spec() {
        const order = {
            orderPath: this.#order.path, order: this.#order.descending ? 'descending' : 'ascending',
            pageSize: this.#pageSize,
        };
        const [field, text, end] = [this.field.value, this.text.value, this.end.value];
        if (!this.#isSearch) return { queryType: 'range', ...order };
        const indexPath = field.startsWith('*') ? field.slice(1) || null : field;
        const type = this.#specs.find(({ path }) => path === indexPath)?.type ?? 'integer';
        switch (this.operator.value) {
        case 'words': return { queryType: 'match', indexPath, matchKey: wordsKey(text), ...order };
        case 'match': return { queryType: 'match', indexPath, matchKey: text, ...order };
        case 'contains': return { queryType: 'like', indexPath, likeKey: `%${text}%`, ...order };
        case 'begins': return { queryType: 'like', indexPath, likeKey: `${text}%`, ...order };
        case 'exact': return { queryType: 'exact', indexPath, matchKey: keyOf(text, type), ...order };
        default: return {
            queryType: 'range', indexPath, beginKey: text.trim() ? keyOf(text, type) : null,
            endKey: end.trim() ? keyOf(end, type) : null, ...order,
        };
        }
    }

    // MARK: Pages

    async #query(page = 0) {
        clearTimeout(this.timer);
        const run = ++this.#run;
        const soupName = this.#soup;
        const start = performance.now();
        this.results.setAttribute('aria-busy', 'true');
        try {
            let cursor = await this.app.bridge.query('pgQuerySoup', { soupName, querySpec: this.#spec() });
            const last = Math.max(0, cursor.totalPages - 1);
            if (page > 0 && run === this.#run) {
                const { cursorId } = cursor;
                cursor = await this.app.bridge.query(
                    'pgMoveCursorToPageIndex', { cursorId, index: Math.min(page, last) });
            }
            // The user typed on: only the last query counts.
            if (run !== this.#run) {
                this.#close(cursor);
                return;
            }
            this.#close(this.#cursor);
            this.#cursor = cursor;
            this.#render(performance.now() - start);
        } catch (error) {
            if (run === this.#run) this.#fail(error);
        }
    }

    async #move(index) {
        const cursor = this.#cursor;
        if (!cursor || index < 0 || index >= cursor.totalPages || index === cursor.currentPageIndex) return;
        const run = ++this.#run;
        const start = performance.now();
        this.results.setAttribute('aria-busy', 'true');
        try {
            const { cursorId } = cursor;
            const moved = await this.app.bridge.query('pgMoveCursorToPageIndex', { cursorId, index });
            if (run !== this.#run) return;
            this.#cursor = moved;
            this.#render(performance.now() - start);
        } catch (error) {
            if (run !== this.#run) return;
            // The connection was lost, and the cursor with it.
            if (error.kind === 'service' && error.message.includes('cursor')) await this.#query(index);
            else this.#fail(error);
        }
    }

    #close(cursor) {
        if (cursor) this.app.bridge.query('pgCloseCursor', { cursorId: cursor.cursorId }).catch(() => {});
    }

    #fail(error) {
        this.results.removeAttribute('aria-busy');
        fill(this.results, element('p.banner.danger', { role: 'alert' }, error.message));
    }

    #render(milliseconds) {
        const cursor = this.#cursor;
        const focus = this.#focusInResults();
        const paths = this.#specs.filter(({ path }) => !isSystemField(path));
        const shown = [...new Map(paths.map((spec) => [spec.path, spec])).values()].slice(0, maximumColumns);
        const selected = this.app.place.id;
        const columns = [
            { title: 'Entry', sort: entryId, class: 'id', cell: (entry) => String(entry[entryId]) },
            { title: 'State', class: 'state', cell: (entry) => stateTags(entry) },
            ...shown.map(({ path }) => ({
                title: path, class: 'value-cell', cell: (entry) => shortValue(valueAt(entry, path)),
                // A full-text path cannot be compared.
                sort: paths.some((spec) => spec.path === path && spec.type !== 'full_text') ? path : undefined,
            })),
            ...shown.length ? [] : [{ title: 'Record', class: 'value-cell', cell: (entry) => excerpt(titleOf(entry)) }],
            { title: 'Written', sort: '_soupLastModifiedDate', class: 'time', cell: (entry) =>
                time(entry._soupLastModifiedDate) },
        ];
        const list = table({
            caption: `Entries of ${this.#soup}`, columns, rows: cursor.currentPageOrderedEntries,
            open: (entry) => this.app.go({ view: 'entries', soup: this.#soup, id: entry[entryId] }),
            isSelected: (entry) => entry[entryId] === selected,
            order: { ...this.#order, change: (path) => this.#sort(path) },
        });
        const controls = () => pager({
            index: cursor.currentPageIndex, pages: cursor.totalPages, size: cursor.pageSize,
            total: cursor.totalEntries, noun: this.#isSearch ? 'matching entries' : 'entries',
            go: (index) => this.#move(index),
        });
        this.results.removeAttribute('aria-busy');
        fill(this.results, element('div.pager-row', {}, controls(),
            element('div.paging', {}, pageSizes(this.#pageSize, (size) => {
                this.#pageSize = size;
                this.#query();
            }), element('span.hint.timing', { title: 'Time until the page arrived' }, duration(milliseconds)))),
        cursor.totalEntries > 0 && list);
        if (focus) this.results.querySelector(focus)?.focus();
        this.app.announce(cursor.totalEntries === 0 ? 'No entries' :
            `${counted(cursor.totalEntries, 'entry', 'entries')}, page ${count(cursor.currentPageIndex + 1)} of `
            + count(cursor.totalPages));
    }

    /** Returns the selector of the control with the focus, which a new list replaces. */
    #focusInResults() {
        const active = document.activeElement;
        if (!this.results.contains(active)) return null;
        if (active.matches('.pager button')) return `.pager button.${active.className}:not(:disabled)`;
        if (active.matches('.pager input')) return '.pager input';
        if (active.matches('.sizes select')) return '.sizes select';
        if (active.matches('button.row')) return 'button.row';
        return active.matches('button.sort') ? `th:nth-child(${active.closest('th').cellIndex + 1}) button.sort` : null;
    }

    #sort(path) {
        const isSame = this.#order.path === path;
        this.#order = { path, descending: isSame && !this.#order.descending };
        this.#query();
    }

    // MARK: Entry

    async #open(id, { isFresh = false } = {}) {
        let entry = isFresh ? undefined : this.#cursor?.currentPageOrderedEntries.find((one) => one[entryId] === id);
        try {
            if (!entry) {
                [entry] = await this.app.bridge.query(
                    'pgRetrieveSoupEntries', { soupName: this.#soup, entryIds: [id] });
            }
        } catch (error) {
            this.panel.open(`Entry ${id}`, [], element('p.banner.danger', { role: 'alert' }, error.message));
            return;
        }
        if (this.app.place.id !== id) return;
        markRow(this.results, (row) => row.textContent === String(id));
        if (!entry) {
            this.panel.open(`Entry ${id}`, [], element('p.hint', {}, 'The entry no longer exists.'));
            return;
        }
        const error = errorOf(entry.__last_error__);
        this.panel.open(`Entry ${id}`, stateTags(entry),
            error && element('p.banner.danger', {}, element('strong', {}, error.code), ` ${error.message}`),
            changeOf(entry) && element('div.buttons', {}, button('button',
                () => this.app.go({ view: 'changes', soup: this.#soup, id }), {}, 'Compare with the synced version')),
            jsonBlock('Entry as JSON', entry, (text) => this.app.announce(text)));
    }
}

/** Marks the row of a list that is open. */
export function markRow(list, isOpen) {
    for (const row of list.querySelectorAll('button.row')) {
        const isCurrent = isOpen(row);
        row.closest('tr').classList.toggle('selected', isCurrent);
        if (isCurrent) row.setAttribute('aria-current', 'true');
        else row.removeAttribute('aria-current');
    }
}

/** Returns the tags for the state of an entry. */
export function stateTags(entry) {
    const change = changeOf(entry);
    const error = errorOf(entry.__last_error__);
    return [
        change && element('span.tag.warning', { title: `${change} locally` }, change),
        error && element('span.tag.danger', { title: `The last push was rejected: ${error.code}` }, 'rejected'),
    ];
}

/** Returns the search expression for all words of a text; the last one may be the beginning of a word. */
function wordsKey(text) {
    const words = text.split(/[\s{}\0-\x1f]+/).filter(Boolean).map((word) => `"${word.replaceAll('"', '""')}"`);
    return words.length ? `${words.join(' ')}*` : '""';
}

/** Returns a key of a query in the type of its index. */
function keyOf(text, type) {
    if (type === 'string') return text;
    try {
        const value = parse(text.trim());
        return value === null || typeof value === 'object' && !('text' in value) ? text : value;
    } catch {
        return text;
    }
}

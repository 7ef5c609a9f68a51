// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, fill } from './elements.js';
import { count, counted, duration, excerpt } from './format.js';
import { isObject } from './json.js';
import { Panel, jsonBlock } from './panel.js';
import { pageSizes, pager, shortValue, table } from './table.js';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** A Smart SQL query with its result, its plan and its errors. */
export class SmartSQLView {
    title = 'Smart SQL';
    #cursor = null;
    #run = 0;
    #text = '';
    #pageSize = 25;

    constructor(app) {
        this.app = app;
        this.panel = new Panel(app);
        this.box = element('textarea.code', {
            id: 'smart-sql', rows: '4', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
            onkeydown: (event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                this.#query();
            },
        });
        this.paths = element('details.paths-list', {}, element('summary', {}, 'Soups and paths'));
        this.plan = element('div', {});
        this.results = element('div.results', {});
        this.root = element('section.view', { 'aria-label': 'Smart SQL' },
            element('form.sql', { onsubmit: (event) => { event.preventDefault(); this.#query(); } },
                element('label', { for: 'smart-sql' }, 'Smart SQL'), this.box,
                element('div.buttons', {}, element('button.primary', { type: 'submit' }, 'Run'),
                    element('kbd', {}, isMac ? '⌘ Enter' : 'Ctrl + Enter')),
                this.paths),
            this.panel.root);
        fill(this.panel.list, this.plan, this.results);
    }

    show({ id }) {
        this.#showPaths();
        if (id === undefined) this.panel.close();
        else this.#open(id);
    }

    search() { this.box.focus(); }
    refresh() { if (this.#text) return this.#query(); }
    nextPage() { this.#move((this.#cursor?.currentPageIndex ?? 0) + 1); }
    previousPage() { this.#move((this.#cursor?.currentPageIndex ?? 0) - 1); }

    #showPaths() {
        const { soups } = this.app.overview;
        const first = soups.find(({ isInternal }) => !isInternal);
        if (!this.box.value && first) this.box.value = `SELECT {${first.name}:_soup} FROM {${first.name}}`;
        if (this.paths.childElementCount > 1) return;
        const insert = (text) => button('button.small.code', () => {
            this.box.setRangeText(text, this.box.selectionStart, this.box.selectionEnd, 'end');
            this.box.focus();
        }, { title: `Insert ${text}` }, text);
        this.paths.append(...soups.map(({ name, indexes }) => element('p.inserts', {}, insert(`{${name}}`),
            ['_soup', '_soupEntryId', ...indexes.map(({ path }) => path)].map((path) => insert(`{${name}:${path}}`)))));
    }

    async #query() {
        const run = ++this.#run;
        const smartSql = this.box.value.trim();
        if (!smartSql) return;
        this.#text = smartSql;
        if (this.app.place.id !== undefined) this.app.close();
        const querySpec = { queryType: 'smart', smartSql, pageSize: this.#pageSize };
        const start = performance.now();
        this.results.setAttribute('aria-busy', 'true');
        // The query reports its errors itself.
        const plan = this.app.bridge.inspect('plan', { querySpec }).catch(() => null);
        try {
            const cursor = await this.app.bridge.query('pgRunSmartQuery', { querySpec });
            if (run !== this.#run) return;
            this.#close();
            this.#cursor = cursor;
            this.#render(performance.now() - start);
            this.#showPlan(await plan);
        } catch (error) {
            if (run !== this.#run) return;
            this.#fail(error);
        }
    }

    async #move(index) {
        const cursor = this.#cursor;
        if (!cursor || index < 0 || index >= cursor.totalPages || index === cursor.currentPageIndex) return;
        const run = ++this.#run;
        const start = performance.now();
        try {
            const moved = await this.app.bridge.query(
                'pgMoveCursorToPageIndex', { cursorId: cursor.cursorId, index });
            if (run !== this.#run) return;
            this.#cursor = moved;
            this.#render(performance.now() - start);
        } catch (error) {
            if (run === this.#run) this.#fail(error);
        }
    }

    #close() {
        const cursor = this.#cursor;
        this.#cursor = null;
        if (cursor) this.app.bridge.query('pgCloseCursor', { cursorId: cursor.cursorId }).catch(() => {});
    }

    #fail(error) {
        this.#close();
        this.results.removeAttribute('aria-busy');
        fill(this.plan);
        fill(this.results, element('p.banner.danger', { role: 'alert' }, error.message));
    }

    #showPlan(lines) {
        fill(this.plan, lines && element('details.plan', { open: true },
            element('summary', {}, 'Plan'), element('ol', {}, lines.map((line) => element('li', {},
                element('code', {}, line),
                // A parenthesis follows for the rows of a subquery, which have no index.
                /^\s*SCAN (?!\()/.test(line) && !/\bINDEX\b/.test(line)
                    && element('span.tag.warning', { title: 'The query reads all rows.' }, 'no index'))))));
    }

    #render(milliseconds) {
        const cursor = this.#cursor;
        const rows = cursor.currentPageOrderedEntries;
        const width = Math.max(0, ...rows.map((row) => Array.isArray(row) ? row.length : 1));
        const titles = columnTitles(this.#text, width);
        const columns = titles.map((title, index) => ({
            title, class: 'value-cell', cell: (row) => {
                return shortValue(Array.isArray(row) ? row[index] : row) || '\u00a0';
            },
        }));
        columns.unshift({
            title: 'Row', class: 'id', cell: (_, index) => count(cursor.currentPageIndex * cursor.pageSize + index + 1),
        });
        this.results.removeAttribute('aria-busy');
        fill(this.results, element('div.pager-row', {}, pager({
            index: cursor.currentPageIndex, pages: cursor.totalPages, size: cursor.pageSize,
            total: cursor.totalEntries, noun: 'rows', go: (index) => this.#move(index),
        }), element('div.paging', {}, pageSizes(this.#pageSize, (size) => {
            this.#pageSize = size;
            this.#query();
        }), element('span.hint.timing', { title: 'Time until the page arrived' }, duration(milliseconds)))),
        rows.length > 0 && table({
            caption: 'Result', columns, rows,
            open: (row) => this.app.go({ view: 'sql', id: rows.indexOf(row) }),
        }));
        this.app.announce(counted(cursor.totalEntries, 'row'));
    }

    #open(index) {
        const cursor = this.#cursor;
        const row = cursor?.currentPageOrderedEntries[index];
        if (row === undefined) return this.panel.close();
        const values = Array.isArray(row) ? row : [row];
        const titles = columnTitles(this.#text, values.length);
        const announce = (text) => this.app.announce(text);
        this.panel.open(`Row ${count(cursor.currentPageIndex * cursor.pageSize + index + 1)}`, [],
            values.length === 1 && isObject(values[0]) ? jsonBlock(titles[0], values[0], announce)
                : jsonBlock('Values as JSON', values, announce));
    }
}

/** Returns the titles of the columns: the expressions of the SELECT, or numbers if they cannot be read. */
function columnTitles(sql, width) {
    const titles = expressions(sql);
    if (titles.length === width) return titles;
    return Array.from({ length: width }, (_, index) => `Column ${index + 1}`);
}

function expressions(sql) {
    const list = /^\s*select\s+(?:distinct\s+|all\s+)?/i.exec(sql);
    if (!list) return [];
    const found = [''];
    let depth = 0;
    // Quoted texts, names in braces, words, and single signs.
    for (const [part] of sql.slice(list[0].length).matchAll(/'(?:[^']|'')*'|"[^"]*"|\{[^}]*\}|\w+|\s+|./g)) {
        if (part === '(') depth += 1;
        if (part === ')') depth -= 1;
        if (depth === 0 && /^from$/i.test(part)) break;
        if (depth === 0 && part === ',') found.push('');
        else found[found.length - 1] += part;
    }
    return found.map((text) => {
        const alias = /\s+as\s+["'`]?(\w+)["'`]?\s*$/i.exec(text);
        return excerpt(alias ? alias[1] : text.trim(), 40);
    });
}

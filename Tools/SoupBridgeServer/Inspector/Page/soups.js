// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, fill } from './elements.js';
import { bytes, count, counted } from './format.js';
import { table } from './table.js';

/** The sizes of the store, and its soups. */
export class SoupsView {
    title = 'Soups';
    root = element('section.view', { 'aria-label': 'Soups' });

    constructor(app) { this.app = app; }

    show() { this.update(); }

    /** Shows the numbers of the current overview. */
    update() {
        const { soups, databaseSize, freeSize, logSize } = this.app.overview;
        const focused = document.activeElement?.closest?.('[data-soup]');
        const sum = (key) => soups.reduce((total, soup) => total + (soup.isInternal ? 0 : soup[key]), 0);
        const figures = [
            ['File', bytes(databaseSize)], ['Log', bytes(logSize)], ['Unused in the file', bytes(freeSize)],
            ['Entries', count(sum('entries'))], ['Local changes', count(sum('dirty'))],
        ];
        const rows = [...soups].sort((first, second) => Number(first.isInternal) - Number(second.isInternal));
        fill(this.root,
            element('dl.figures', {}, figures.map(([name, value]) =>
                element('div', {}, element('dt', {}, name), element('dd', {}, value)))),
            rows.length === 0 ? element('p.hint', {}, 'The store has no soups.') : table({
                caption: 'Soups', rows, open: (soup) => this.app.go({ view: 'entries', soup: soup.name }),
                columns: [
                    { title: 'Soup', cell: (soup) => [element('span.name', {}, soup.name),
                        soup.isInternal && [' ', element('span.tag', {}, 'of SoupKit')]] },
                    { title: 'Entries', class: 'number', cell: (soup) => count(soup.entries) },
                    { title: 'Local changes', class: 'number', cell: (soup) => this.#changes(soup) },
                    { title: 'Indexes', class: 'wide', cell: (soup) => element('span.paths', {},
                        soup.indexes.map(({ path }) => path).join(', ')) },
                ],
            }));
        if (focused) this.root.querySelector(`[data-soup="${CSS.escape(focused.dataset.soup)}"]`)?.focus();
    }

    #changes(soup) {
        if (soup.dirty === 0) return element('span.none', {}, '0');
        return button('button.badge.warning', () => this.app.go({ view: 'changes', soup: soup.name }), {
            'data-soup': soup.name, 'aria-label': `${counted(soup.dirty, 'local change')} of ${soup.name}`,
        }, count(soup.dirty));
    }
}

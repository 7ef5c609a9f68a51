// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, hiddenText } from './elements.js';
import { count, excerpt, plain } from './format.js';

/**
 * Returns a table in a region that scrolls.
 *
 * @param {object} options
 * @param {string} options.caption the name of the table, for screen readers
 * @param {Array<{title: string, class?: string, cell: (row, index: number) => *, sort?: string, help?: string}>}
 *     options.columns `sort` is the order path of the column
 * @param {Array} options.rows
 * @param {(row) => void} [options.open] opens a row: the first cell is a button then
 * @param {(row) => boolean} [options.isSelected]
 * @param {{path: string, descending: boolean, change: (path: string) => void}} [options.order]
 */
export function table({ caption, columns, rows, open, isSelected = () => false, order }) {
    const header = columns.map((column) => {
        const isSorted = order && column.sort === order.path;
        const title = order && column.sort
            ? button('button.sort', () => order.change(column.sort), { title: `Sort by ${column.title}` }, column.title,
                element('span.arrow', { 'aria-hidden': 'true' }, isSorted ? order.descending ? '▾' : '▴' : ''))
            : column.title;
        return element('th', {
            scope: 'col', class: column.class, title: column.help,
            'aria-sort': isSorted ? order.descending ? 'descending' : 'ascending' : null,
        }, title);
    });
    const body = rows.map((row, index) => {
        const isCurrent = isSelected(row);
        const cells = columns.map((column, position) => {
            const content = column.cell(row, index);
            if (position > 0 || !open) return element('td', { class: column.class }, content);
            const opener = button('button.row', () => open(row), { 'aria-current': isCurrent ? 'true' : null }, content);
            return element('th', { scope: 'row', class: column.class }, opener);
        });
        const attributes = open ? { class: isCurrent ? 'opens selected' : 'opens', onclick: openUnlessSelecting } : {};
        return element('tr', attributes, cells);
    });
    return element('div.scrolls', { tabindex: '0', role: 'region', 'aria-label': caption },
        element('table', {}, element('caption', {}, hiddenText(caption)),
            element('thead', {}, element('tr', {}, header)), element('tbody', {}, body)));
}

/** Opens the row that was clicked, unless the user selects text or clicks on a control. */
function openUnlessSelecting(event) {
    if (event.target.closest('button, a, input') || String(getSelection())) return;
    event.currentTarget.querySelector('button.row').click();
}

/** Moves the focus to the next row that can be opened, or to the previous one; returns its button. */
export function moveRow(root, step) {
    const rows = [...root.querySelectorAll('button.row')].filter((row) => row.checkVisibility());
    if (rows.length === 0) return null;
    let index = rows.indexOf(document.activeElement);
    if (index < 0) index = rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
    const row = rows[index < 0 ? step > 0 ? 0 : rows.length - 1 : Math.min(Math.max(index + step, 0), rows.length - 1)];
    row.focus();
    row.scrollIntoView({ block: 'nearest' });
    return row;
}

/** Returns the beginning of a value on one line, for a cell; null looks different from the text "null". */
export function shortValue(value) {
    return value === null ? element('span.absent', {}, 'null') : excerpt(plain(value));
}

/** Returns the choice of the number of rows a page has. */
export function pageSizes(current, change) {
    return element('label.sizes', {}, 'Rows ', element('select', {
        onchange: (event) => change(Number(event.target.value)),
    }, [25, 50, 100, 200].map((size) => element('option', { value: size, selected: size === current }, String(size)))));
}

/**
 * Returns the controls for the pages of a list.
 *
 * @param {{index: number, pages: number, size: number, total: number, noun: string, go: (index: number) => void}} options
 */
export function pager({ index, pages, size, total, noun, go }) {
    const first = index * size + 1;
    const last = Math.min(total, first + size - 1);
    const range = total === 0 ? `No ${noun}` : `${count(first)}–${count(last)} of ${count(total)}`;
    const field = element('input', {
        type: 'text', inputmode: 'numeric', value: String(index + 1), 'aria-label': `Page, 1 to ${count(pages)}`,
        size: String(Math.max(2, String(pages).length)),
        onchange: (event) => {
            const number = Number(event.target.value.replace(/[^0-9]/g, ''));
            go(Math.min(Math.max(number || 1, 1), pages) - 1);
        },
    });
    const move = (name, title, target, isEnabled) =>
        button(`button.${name}`, () => go(target), { title, 'aria-label': title, disabled: !isEnabled },
            { first: '«', previous: '‹', next: '›', last: '»' }[name]);
    return element('nav.pager', { 'aria-label': 'Pages' }, element('span.range', {}, range), pages > 1 && [
        move('first', 'First page', 0, index > 0), move('previous', 'Previous page (P)', index - 1, index > 0),
        element('span.page', {}, 'Page ', field, ` of ${count(pages)}`),
        move('next', 'Next page (N)', index + 1, index + 1 < pages),
        move('last', 'Last page', pages - 1, index + 1 < pages),
    ]);
}

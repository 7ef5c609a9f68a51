// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { element, fill, hiddenText } from './elements.js';
import { count, counted, excerpt, plain } from './format.js';
import { isEqual, isObject, write } from './json.js';
import { isSystemField } from './records.js';

const maximumText = 10_000;

/**
 * Returns the versions of a record side by side, field by field, with the differences marked.
 *
 * @param {object} options
 * @param {string} options.caption
 * @param {Array<{title: string, record: object | null | undefined, absent: string}>} options.versions the first is the
 *     base; `absent` describes a version that is null
 * @param {Set<string>} [options.conflicts] the fields in conflict
 * @param {{code: string, message: string, fields: string[]} | null} [options.error] adds a column with the last error
 */
export function comparison({ caption, versions, conflicts = new Set(), error }) {
    const names = new Set();
    for (const { record } of versions) {
        for (const name of Object.keys(isObject(record) ? record : {})) if (!isSystemField(name)) names.add(name);
    }
    const named = new Set(error?.fields ?? []);
    for (const name of named) names.add(name);
    // The fields that need a decision come first.
    const isUrgent = (name) => conflicts.has(name) || named.has(name);
    const sorted = [...names].sort((first, second) => Number(isUrgent(second)) - Number(isUrgent(first)));
    const rows = sorted.map((name) => ({ name, values: versions.map(({ record }) => record?.[name]) }));
    const base = versions[0].record;
    const isMarked = ({ name, values }) =>
        isUrgent(name) || values.some((value) => !isEqual(value, values[0]));
    const marked = rows.filter(isMarked);
    const equal = rows.length - marked.length;
    const body = element('tbody', {});
    const titles = versions.map((version) => version.title);
    const show = (showsAll) => fill(body, (showsAll ? rows : marked).map((row) => line(row)));

    function line({ name, values }) {
        const isConflict = conflicts.has(name);
        const cells = versions.map(({ record, absent }, index) => {
            const value = values[index];
            const differs = index > 0 && isObject(base) && !isEqual(value, values[0]);
            const classes = [differs ? 'differs' : '', isConflict ? 'conflict' : ''].join(' ').trim();
            return element('td', { class: classes || null, 'data-title': titles[index] },
                element('div.value', {}, content(record, value, absent, differs ? values[0] : undefined)),
                differs && hiddenText(' (differs from the base)'));
        });
        if (error !== undefined) {
            const isNamed = named.has(name);
            cells.push(element('td', { class: isNamed ? 'refused' : null, 'data-title': 'Last error' },
                isNamed && element('div.value', {}, error.message)));
        }
        return element('tr', { class: isMarked({ name, values }) ? 'marked' : null },
            element('th', { scope: 'row' }, name, isConflict && element('span.tag.danger', {}, 'in conflict')), cells);
    }

    const columns = ['Field', ...titles, ...error === undefined ? [] : ['Last error']];
    const grid = element('table.comparison', {}, element('caption', {}, hiddenText(caption)),
        element('thead', {}, element('tr', {}, columns.map((title) => element('th', { scope: 'col' }, title)))), body);
    // Without a difference, or without a base, all fields are shown.
    const showsAll = marked.length === 0 || equal === 0 || !isObject(base);
    show(showsAll);
    const toggle = element('label.toggle', {},
        element('input', { type: 'checkbox', checked: showsAll, onchange: (event) => show(event.target.checked) }),
        `Show equal fields (${equal})`);
    return element('div.compare', {}, element('p.hint', {}, differences(marked, base, named)),
        equal > 0 && toggle, element('div.scrolls', { tabindex: '0', role: 'region', 'aria-label': caption }, grid));
}

function differences(marked, base, named) {
    if (!isObject(base)) return 'The synced version is not known, so changes cannot be marked.';
    if (marked.length === 0) return 'The versions have equal fields.';
    if (named.size) return `${counted(marked.length, 'field')} with a difference or an error.`;
    return `${counted(marked.length, 'field')} with a difference.`;
}

function content(record, value, absent, base) {
    if (!isObject(record)) return element('span.absent', {}, absent);
    if (value === undefined) return element('span.absent', {}, 'no value');
    if (value === null) return element('span.absent', {}, base === undefined ? 'null' : element('mark', {}, 'null'));
    if (value === '') return element('span.absent', {}, 'empty text');
    const text = typeof value === 'object' ? write(value, 2) : plain(value);
    if (text.length > maximumText) return longText(text);
    if (base === undefined) return text;
    return markedText(text, plain(base), typeof value === 'string' && typeof base === 'string');
}

/** Returns the beginning of a text that is too long to show at once. */
function longText(text) {
    return [excerpt(text, maximumText), element('span.absent', {}, ` (${count(text.length)} characters)`)];
}

/** Returns a text in which the words that differ from another text are marked. */
function markedText(text, other, isText) {
    if (!isText || other.length > maximumText) return element('mark', {}, text);
    const [own, others] = [text, other].map((one) => one.match(/[\p{L}\p{M}\p{N}]+|./gsu) ?? []);
    let start = 0;
    while (start < own.length && start < others.length && own[start] === others[start]) start += 1;
    let end = 0;
    const longest = Math.min(own.length, others.length) - start;
    while (end < longest && own.at(-1 - end) === others.at(-1 - end)) end += 1;
    const middle = own.slice(start, own.length - end).join('');
    return [
        own.slice(0, start).join(''),
        middle ? element('mark', {}, middle) : element('mark.removed', { title: 'Text was removed here' }, '‸'),
        own.slice(own.length - end).join(''),
    ];
}

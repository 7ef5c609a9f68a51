// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element, fill, hiddenText } from './elements.js';
import { count, excerpt } from './format.js';
import { pieces, write } from './json.js';

// Larger texts would stop the page while it lays them out: only their beginning is shown at first.
const maximumText = 100_000;

/** A list with the record that is open next to it, or on a narrow screen instead of it. */
export class Panel {
    list = element('div.list');
    detail = element('aside.detail', { 'aria-label': 'Record', hidden: true });

    constructor(app) {
        this.app = app;
        this.root = element('div.panel', {}, this.list, this.detail);
    }

    get isOpen() { return !this.detail.hidden; }

    /** Shows a record; on a narrow screen the focus moves to it. */
    open(title, tags, ...children) {
        const wasOpen = this.isOpen;
        const heading = element('h2', { tabindex: '-1' }, title);
        fill(this.detail,
            element('div.detail-title', {}, button('button.close', () => this.app.close(), {
                title: 'Close (Escape)', 'aria-label': 'Close the record',
            }, element('span', { 'aria-hidden': 'true' }, '←'), ' Back'), heading, tags), children);
        this.detail.hidden = false;
        this.root.classList.add('opened');
        this.detail.scrollTop = 0;
        const isNarrow = !this.list.checkVisibility();
        if (isNarrow) heading.focus();
        if (isNarrow && !wasOpen) scrollTo(0, 0);
    }

    /** Shows the list; the focus returns to the row of the record. */
    close() {
        if (!this.isOpen) return;
        const hadFocus = this.detail.contains(document.activeElement) || document.activeElement === document.body;
        this.detail.hidden = true;
        this.root.classList.remove('opened');
        fill(this.detail);
        const row = this.list.querySelector('button.row[aria-current]');
        row?.removeAttribute('aria-current');
        row?.closest('tr').classList.remove('selected');
        if (hadFocus) row?.focus();
    }
}

/** Returns a JSON value, formatted, with a button that copies it. */
export function jsonBlock(title, value, announce) {
    const text = write(value, 2);
    const code = element('pre.json', { tabindex: '0', role: 'region', 'aria-label': title });
    const isLong = text.length > maximumText;
    if (isLong) code.append(excerpt(text, maximumText));
    else for (const { kind, text: part } of pieces(value)) {
        code.append(kind === 'sign' ? part : element(`span.${kind}`, {}, part));
    }
    const showAll = isLong && button('button.small', () => {
        fill(code, text);
        code.focus();
        showAll.remove();
    }, {}, `Show all ${count(text.length)} characters`);
    const copy = button('button.small', async () => {
        try {
            await navigator.clipboard.writeText(text);
            announce('The JSON text is copied.');
            copy.textContent = 'Copied';
        } catch {
            announce('The browser did not allow the copy.');
        }
    }, {}, 'Copy', hiddenText(` ${title}`));
    return element('section.block', {}, element('div.block-title', {}, element('h3', {}, title), copy), code,
        showAll);
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element } from './elements.js';

/** Shows a dialog; it is removed when it is closed, and the focus returns to the element that had it. */
export function showDialog(title, classes, ...children) {
    const heading = element('h2', { id: 'dialog-title' }, title);
    const dialog = element(`dialog${classes}`, {
        'aria-labelledby': 'dialog-title', onclose: () => dialog.remove(),
        onclick: (event) => { if (event.target === dialog) dialog.close(); },
    }, element('div.dialog-body', {}, heading, ...children));
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

/** Asks for a confirmation; returns whether the user gave it. */
export function confirmed(title, text, action) {
    return new Promise((resolve) => {
        const dialog = showDialog(title, '', element('p', {}, text), element('div.buttons', {},
            button('button.primary.danger', () => { resolve(true); dialog.close(); }, {}, action),
            button('button', () => dialog.close(), { autofocus: true }, 'Cancel')));
        dialog.addEventListener('close', () => resolve(false));
    });
}

const shortcuts = [
    ['1 – 5', 'Soups, Smart SQL, Changes, Conflicts, Syncs'],
    ['/', 'Search in the soup, or write Smart SQL'],
    ['J or ↓', 'Next row'],
    ['K or ↑', 'Previous row'],
    ['Enter', 'Open the row'],
    ['N', 'Next page'],
    ['P', 'Previous page'],
    ['Escape', 'Close the record, or leave the field'],
    ['Ctrl + Enter', 'Run the Smart SQL query (also ⌘ + Enter)'],
    ['R', 'Refresh'],
    ['?', 'Show the shortcuts'],
];

/**
 * Shows the shortcuts.
 *
 * @param {{usesLetters: boolean}} settings single keys can be switched off, for users of speech input
 */
export function showShortcuts(settings) {
    const rows = shortcuts.map(([keys, effect]) =>
        element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, keys)), element('td', {}, effect)));
    const dialog = showDialog('Keyboard shortcuts', '.shortcuts',
        element('table', {}, element('tbody', {}, rows)),
        element('label.toggle', {}, element('input', {
            type: 'checkbox', checked: settings.usesLetters,
            onchange: (event) => { settings.usesLetters = event.target.checked; },
        }), 'Use single keys as shortcuts'),
        element('div.buttons', {}, button('button', () => dialog.close(), { autofocus: true }, 'Close')));
}

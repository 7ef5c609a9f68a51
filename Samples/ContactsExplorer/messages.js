// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { button, element } from './dom.js';

/** The time for which a result is shown, in milliseconds. */
const STATUS_TIME = 6000;

/** The messages of the page, which screen readers announce: problems below the header, and results at the end. */
export class Messages {
    constructor() {
        this.problemText = document.getElementById('problem');
        this.statusText = document.getElementById('status');
        this.timer = null;
    }

    /** Shows a problem until it is closed, or until there is another message. */
    problem(text) {
        this.clear();
        this.problemText.replaceChildren(
            element('p', {}, text), button('Close', () => this.clear(), { class: 'plain' }));
    }

    /** Shows a result for some seconds. */
    status(text) {
        this.clear();
        this.statusText.textContent = text;
        this.timer = setTimeout(() => this.clearStatus(), STATUS_TIME);
    }

    clear() {
        this.clearStatus();
        this.problemText.textContent = '';
    }

    clearStatus() {
        clearTimeout(this.timer);
        this.statusText.textContent = '';
    }
}

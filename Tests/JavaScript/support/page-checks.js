// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0
'use strict';

// Checks that run in a page.

/** Returns the controls without a name for screen readers. */
function namelessControls() {
    return [...document.querySelectorAll('a, button, input, select, textarea, progress, table')]
        .filter((element) => element.checkVisibility())
        .filter((element) => !(element.getAttribute('aria-label') || element.caption || element.matches('dialog table')
            || [...element.labels ?? []].some(({ textContent }) => textContent.trim())
            || (!element.matches('input, select, textarea') && element.textContent.trim())))
        .map((element) => element.outerHTML.slice(0, 100));
}

/** Returns the texts whose contrast with their background is below 4.5. */
function lowContrast() {
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const colour = (text) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data;
    };
    const luminance = ([red, green, blue]) => [red, green, blue]
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, position) => sum + value * [0.2126, 0.7152, 0.0722][position], 0);
    const background = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const found = colour(getComputedStyle(one).backgroundColor);
            if (found[3] === 255) return found;
        }
        return [255, 255, 255];
    };
    const isText = (element) =>
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    return [...document.body.querySelectorAll('*')]
        .filter((element) => isText(element) && element.checkVisibility() && !element.matches(':disabled, .hidden, .hidden-text'))
        .map((element) => {
            const [one, other] = [colour(getComputedStyle(element).color), background(element)].map(luminance);
            return [element.textContent.slice(0, 40), (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)];
        })
        .filter(([, contrast]) => contrast < 4.5);
}

module.exports = { lowContrast, namelessControls };

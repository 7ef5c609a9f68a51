// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/**
 * Returns a new element.
 *
 * Children are nodes or texts; null and false are ignored. A text never becomes markup.
 *
 * @param attributes attributes by name. A function is a listener of the event, true is an empty attribute, and null and
 *     false are ignored.
 */
export function element(name, attributes = {}, ...children) {
    const result = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) {
        if (typeof value === 'function') result.addEventListener(attribute, value);
        else if (value !== null && value !== undefined && value !== false) {
            result.setAttribute(attribute, value === true ? '' : value);
        }
    }
    result.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return result;
}

/**
 * Replaces the children of an element.
 *
 * A control with the focus is found again by its label. If there is none any more, the focus moves to `fallback`.
 */
export function replaceChildren(root, children, fallback) {
    const labelOf = (control) => control.getAttribute('aria-label') ?? control.textContent;
    const focused = root.contains(document.activeElement) ? labelOf(document.activeElement) : null;
    root.replaceChildren(...children);
    if (focused === null) return;
    const controls = [...root.querySelectorAll('a, button')];
    (controls.find((control) => labelOf(control) === focused) ?? fallback()).focus();
}

/**
 * Makes the children of an element equal to new ones, and keeps those that are equal already: a click is lost if its
 * target is replaced between the press of the button and its release.
 *
 * The attribute `aria-current`, which a list sets afterwards, makes no difference.
 */
export function updateChildren(root, children) {
    const shown = [...root.children];
    children.forEach((child, index) => {
        if (!shown[index]) root.append(child);
        else if (!isEqual(shown[index], child)) shown[index].replaceWith(child);
    });
    shown.slice(children.length).forEach((child) => child.remove());
}

function isEqual(shown, child) {
    const copy = shown.cloneNode(true);
    copy.querySelectorAll('[aria-current]').forEach((one) => one.removeAttribute('aria-current'));
    return copy.isEqualNode(child);
}

/** Returns the heading of a view, which gets the focus when the view opens. */
export const heading = (level, text) => element(`h${level}`, { tabindex: '-1', class: 'heading' }, text);

export const button = (label, click, attributes = {}) =>
    element('button', { type: 'button', click, ...attributes }, label);

export const count = (number, singular, plural = `${singular}s`) =>
    `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;

export const timeOf = (milliseconds) =>
    new Date(milliseconds).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false });

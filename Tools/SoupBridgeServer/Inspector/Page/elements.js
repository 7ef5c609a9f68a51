// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/**
 * Creates an element. Texts become text nodes: nothing from a record is read as HTML.
 *
 * @param {string} name the name of the element, with classes after dots: `button.primary`
 * @param {object} attributes attributes; functions are listeners, true is an attribute without a value, and false, null
 *     and undefined are ignored
 * @param {...(Node | string | number | null | undefined | false | Array)} children
 */
export function element(name, attributes = {}, ...children) {
    const [tag, ...classes] = name.split('.');
    const created = document.createElement(tag);
    if (classes.length) created.className = classes.join(' ');
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === 'function') created.addEventListener(key.replace(/^on/, ''), value);
        else if (value === true) created.setAttribute(key, '');
        else if (value !== false && value !== null && value !== undefined) created.setAttribute(key, value);
    }
    created.append(...nodes(children));
    return created;
}

/** Replaces the children of an element. */
export function fill(parent, ...children) { parent.replaceChildren(...nodes(children)); }

/** Returns a button that does not submit a form. */
export function button(name, onclick, attributes = {}, ...children) {
    return element(name, { type: 'button', onclick, ...attributes }, ...children);
}

/** Returns a text that only screen readers read. */
export function hiddenText(text) { return element('span.hidden-text', {}, text); }

function nodes(children) {
    return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

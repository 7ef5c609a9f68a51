// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import { write } from './json.js';

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Returns a whole number with separators of thousands. */
export function count(number) { return whole.format(Number(number)); }

/** Returns a number with its noun: `1 entry`, `2 entries`. */
export function counted(number, one, many = `${one}s`) { return `${count(number)} ${Number(number) === 1 ? one : many}`; }

/** Returns a size in bytes, with a unit. */
export function bytes(number) {
    let value = Number(number);
    if (value < 1024) return `${value} B`;
    const units = ['KiB', 'MiB', 'GiB', 'TiB'];
    let unit = -1;
    do {
        value /= 1024;
        unit += 1;
    } while (value >= 1024 && unit < units.length - 1);
    return `${short.format(value)} ${units[unit]}`;
}

/** Returns a duration in milliseconds, with a unit. */
export function duration(milliseconds) {
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
    if (milliseconds < 60_000) return `${short.format(milliseconds / 1000)} s`;
    const seconds = Math.round(milliseconds / 1000);
    const rest = `${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
    return seconds < 3600 ? `${rest} min` : `${Math.floor(seconds / 3600)}:${rest} h`;
}

/** Returns a rate in records per second. */
export function rate(perSecond) { return `${perSecond < 10 ? short.format(perSecond) : count(Math.round(perSecond))}/s`; }

/** Returns a time in milliseconds since 1970, in local time. */
export function time(milliseconds) {
    const date = new Date(Number(milliseconds));
    if (!milliseconds || Number.isNaN(date.getTime())) return '';
    const two = (number) => String(number).padStart(2, '0');
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
        + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Returns a value on one line: a text as it is, anything else as JSON. */
export function plain(value) {
    if (value === undefined) return '';
    return typeof value === 'string' ? value : write(value);
}

/** Returns the beginning of a text. */
export function excerpt(text, length = 120) {
    return text.length <= length ? text : `${[...text.slice(0, length + 1)].slice(0, length - 1).join('')}…`;
}

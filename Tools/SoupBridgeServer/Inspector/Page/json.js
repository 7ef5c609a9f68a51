// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// JSON in which every number keeps its text. `JSON.parse` rounds integers beyond 2^53, and an inspector must show what
// the store contains.

/** A number that JavaScript would write differently, such as 9007199254740993 or 1.50. */
export class ExactNumber {
    constructor(text) { this.text = text; }
    toString() { return this.text; }
}

/**
 * Returns the value of a JSON text. Objects have no prototype, so that any key is an ordinary key.
 *
 * Throws a SyntaxError with the line and the column of the fault.
 */
export function parse(text) {
    const reader = new Reader(text);
    const value = reader.value();
    reader.skipBlanks();
    if (reader.position < text.length) reader.fail('The text continues after the value');
    return value;
}

/** Returns the JSON text of a value; with an indent, one member a line. */
export function write(value, indent = 0) {
    return pieces(value, indent).map((piece) => piece.text).join('');
}

/**
 * Returns the JSON text of a value in pieces, for colours: `{kind, text}` with the kinds key, text, number, word, sign.
 */
export function pieces(value, indent = 2) {
    const list = [];
    addPieces(list, value, indent, '\n');
    return list;
}

/** Returns whether two values are equal; the order of keys is ignored, and undefined is equal only to itself. */
export function isEqual(first, second) {
    if (first === second) return true;
    if (first instanceof ExactNumber || second instanceof ExactNumber) {
        return isNumber(first) && isNumber(second) && String(first) === String(second);
    }
    if (first === null || second === null || typeof first !== 'object' || typeof second !== 'object') return false;
    if (Array.isArray(first) !== Array.isArray(second)) return false;
    const keys = Object.keys(first);
    return keys.length === Object.keys(second).length
        && keys.every((key) => Object.hasOwn(second, key) && isEqual(first[key], second[key]));
}

/** Returns whether a value is a JSON object. */
export function isObject(value) {
    return value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function isNumber(value) { return typeof value === 'number' || value instanceof ExactNumber; }

function addPieces(list, value, indent, newLine) {
    if (Array.isArray(value) || isObject(value)) {
        const isArray = Array.isArray(value);
        const keys = Object.keys(value);
        if (keys.length === 0) {
            list.push({ kind: 'sign', text: isArray ? '[]' : '{}' });
            return;
        }
        const inner = newLine + ' '.repeat(indent);
        keys.forEach((key, index) => {
            const separator = index > 0 ? ',' : isArray ? '[' : '{';
            list.push({ kind: 'sign', text: indent > 0 ? separator + inner : separator });
            if (!isArray) {
                list.push({ kind: 'key', text: JSON.stringify(key) });
                list.push({ kind: 'sign', text: indent > 0 ? ': ' : ':' });
            }
            addPieces(list, value[key], indent, inner);
        });
        list.push({ kind: 'sign', text: (indent > 0 ? newLine : '') + (isArray ? ']' : '}') });
        return;
    }
    if (typeof value === 'string') list.push({ kind: 'text', text: JSON.stringify(value) });
    else if (isNumber(value)) list.push({ kind: 'number', text: String(value) });
    else list.push({ kind: 'word', text: String(value ?? null) });
}

const blanks = /[ \t\r\n]*/y;
const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words = [['true', true], ['false', false], ['null', null]];

class Reader {
    constructor(text) {
        this.text = text;
        this.position = 0;
    }

    value() {
        this.skipBlanks();
        switch (this.text[this.position]) {
        case '{': return this.object();
        case '[': return this.array();
        case '"': return this.string();
        }
        for (const [word, value] of words) {
            if (this.text.startsWith(word, this.position)) {
                this.position += word.length;
                return value;
            }
        }
        numbers.lastIndex = this.position;
        const match = numbers.exec(this.text);
        if (!match) this.fail(this.position < this.text.length ? 'This is not a JSON value' : 'The value is missing');
        this.position = numbers.lastIndex;
        const number = Number(match[0]);
        return String(number) === match[0] ? number : new ExactNumber(match[0]);
    }

    object() {
        const object = Object.create(null);
        this.list('}', () => {
            this.skipBlanks();
            if (this.text[this.position] !== '"') this.fail('A key in double quotes is missing');
            const key = this.string();
            this.skipBlanks();
            if (this.text[this.position] !== ':') this.fail('A colon is missing after the key');
            this.position += 1;
            object[key] = this.value();
        });
        return object;
    }

    array() {
        const array = [];
        this.list(']', () => { array.push(this.value()); });
        return array;
    }

    list(end, readItem) {
        this.position += 1;
        this.skipBlanks();
        if (this.text[this.position] === end) {
            this.position += 1;
            return;
        }
        for (;;) {
            readItem();
            this.skipBlanks();
            const sign = this.text[this.position];
            if (sign !== ',' && sign !== end) this.fail(`A comma or ${end} is missing`);
            this.position += 1;
            if (sign === end) return;
        }
    }

    string() {
        const start = this.position;
        let end = start + 1;
        for (;;) {
            end = this.text.indexOf('"', end);
            if (end < 0) this.fail('The closing quote is missing');
            let first = end;
            while (this.text[first - 1] === '\\') first -= 1;
            if ((end - first) % 2 === 0) break;
            end += 1;
        }
        this.position = end + 1;
        try {
            return JSON.parse(this.text.slice(start, end + 1));
        } catch {
            this.position = start;
            return this.fail('The string has a character that must be escaped');
        }
    }

    skipBlanks() {
        blanks.lastIndex = this.position;
        blanks.exec(this.text);
        this.position = blanks.lastIndex;
    }

    fail(reason) {
        const before = this.text.slice(0, this.position).split('\n');
        throw new SyntaxError(`${reason} (line ${before.length}, column ${before.at(-1).length + 1}).`);
    }
}

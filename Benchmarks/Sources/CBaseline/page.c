// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#include "page.h"

#include <stdlib.h>
#include <string.h>

cb_shape cb_shape_of(const cb_column *columns, int column_count) {
    cb_shape shape = {columns, column_count, {0}};
    for (int column = 0; column < column_count; column++) shape.key_lengths[column] = strlen(columns[column].key);
    return shape;
}

static const uint8_t *skip_space(const uint8_t *at, const uint8_t *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
    return at;
}

// Returns the position of the closing quote for a position after the opening quote; reads eight bytes at a time.
static inline const uint8_t *string_end(const uint8_t *at, const uint8_t *end, int *escaped) {
    const uint64_t ones = 0x0101010101010101u;
    for (;;) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        while (end - at >= 8) {
            uint64_t word;
            memcpy(&word, at, 8);
            uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
            uint64_t hits = (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & (ones * 0x80);
            if (hits) {
                at += __builtin_ctzll(hits) >> 3;
                break;
            }
            at += 8;
        }
#endif
        if (at >= end) return NULL;
        if (*at == '"') return at;
        if (*at == '\\') {
            *escaped = 1;
            at++;
            if (at >= end) return NULL;
        }
        at++;
    }
}

// Returns the position after the value at `at`.
static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end, cb_value *value) {
    int escaped = 0;
    if (at >= end) return NULL;
    value->start = at;
    if (*at == '"') {
        const uint8_t *close = string_end(at + 1, end, &escaped);
        if (!close) return NULL;
        value->start = at + 1;
        value->end = close;
        value->kind = escaped ? CB_ESCAPED_STRING : CB_STRING;
        return close + 1;
    }
    value->kind = CB_OTHER;
    if (*at == '{' || *at == '[') {
        size_t depth = 0;
        for (; at < end; at++) {
            if (*at == '"') {
                at = string_end(at + 1, end, &escaped);
                if (!at) return NULL;
            } else if (*at == '{' || *at == '[') {
                depth++;
            } else if ((*at == '}' || *at == ']') && --depth == 0) {
                value->end = at + 1;
                return at + 1;
            }
        }
        return NULL;
    }
    while (at < end && *at != ',' && *at != '}' && *at != ']' && *at > ' ') at++;
    value->end = at;
    return at > value->start ? at : NULL;
}

// Returns the position after the colon of the member at `at`.
static inline const uint8_t *read_key(const uint8_t *at, const uint8_t *end, const uint8_t **key, size_t *length) {
    int escaped = 0;
    if (at >= end || *at != '"') return NULL;
    *key = at + 1;
    at = string_end(at + 1, end, &escaped);
    if (!at) return NULL;
    *length = (size_t)(at - *key);
    at = skip_space(at + 1, end);
    if (at >= end || *at != ':') return NULL;
    return skip_space(at + 1, end);
}

const uint8_t *cb_find_records(const uint8_t *bytes, const uint8_t *end) {
    const uint8_t *at = skip_space(bytes, end);
    if (at >= end || *at != '{') return NULL;
    at = skip_space(at + 1, end);
    while (at < end && *at == '"') {
        const uint8_t *key;
        size_t length;
        cb_value value;
        at = read_key(at, end, &key, &length);
        if (!at) return NULL;
        if (length == 7 && memcmp(key, "records", 7) == 0) return at < end && *at == '[' ? at + 1 : NULL;
        at = skip_value(at, end, &value);
        if (!at) return NULL;
        at = skip_space(at, end);
        if (at < end && *at == ',') at = skip_space(at + 1, end);
    }
    return NULL;
}

// The members that the store writes itself or that the stamps of a sync replace.
static int is_dropped(const uint8_t *key, size_t length) {
    static const struct { const char *name; size_t length; } names[] = {
        {"__local__", 9}, {"__locally_created__", 19}, {"__locally_updated__", 19}, {"__locally_deleted__", 19},
        {"__sync_id__", 11}, {"__last_error__", 14}, {"_soupEntryId", 12}, {"_soupLastModifiedDate", 21},
    };
    if (length == 0 || key[0] != '_') return 0;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        if (names[index].length == length && memcmp(names[index].name, key, length) == 0) return 1;
    }
    return 0;
}

const uint8_t *cb_next_record(const uint8_t *at, const uint8_t *end, const cb_shape *shape, cb_record *record,
                              int *failed) {
    *failed = 1;
    at = skip_space(at, end);
    if (at < end && *at == ',') at = skip_space(at + 1, end);
    if (at >= end) return NULL;
    if (*at == ']') {
        *failed = 0;
        return NULL;
    }
    if (*at != '{') return NULL;
    for (int column = 0; column < shape->column_count; column++) record->values[column].kind = CB_MISSING;
    record->dropped_count = 0;
    record->start = at;
    at = skip_space(at + 1, end);
    record->is_empty = at < end && *at == '}';
    while (at < end && *at != '}') {
        const uint8_t *key, *member = at;
        size_t length;
        cb_value value;
        at = read_key(at, end, &key, &length);
        if (!at) return NULL;
        at = skip_value(at, end, &value);
        if (!at) return NULL;
        for (int column = 0; column < shape->column_count; column++) {
            if (shape->key_lengths[column] == length && memcmp(shape->columns[column].key, key, length) == 0
                && record->values[column].kind == CB_MISSING) {
                record->values[column] = value;
            }
        }
        if (is_dropped(key, length)) {
            if (record->dropped_count == CB_MAX_DROPPED) return NULL;
            record->dropped[record->dropped_count].start = member;
            record->dropped[record->dropped_count++].end = at;
        }
        at = skip_space(at, end);
        if (at < end && *at == ',') at = skip_space(at + 1, end);
    }
    if (at >= end) return NULL;
    record->end = at + 1;
    *failed = 0;
    return at + 1;
}

size_t cb_splice(const cb_record *record, const char *stamps, size_t stamps_length, uint8_t *output) {
    const uint8_t *at = record->start, *close = record->end - 1;
    uint8_t *write = output;
    int empty = record->is_empty;
    for (int index = 0; index < record->dropped_count; index++) {
        memcpy(write, at, (size_t)(record->dropped[index].start - at));
        write += record->dropped[index].start - at;
        at = skip_space(record->dropped[index].end, close);
        if (at < close && *at == ',') {
            at = skip_space(at + 1, close);
        } else {
            // The last member was removed: remove the comma before it. The record may now be empty.
            while (write > output && (write[-1] == ' ' || write[-1] == '\n' || write[-1] == '\r' || write[-1] == '\t'))
                write--;
            if (write[-1] == ',') write--;
            empty = write[-1] == '{';
        }
    }
    memcpy(write, at, (size_t)(close - at));
    write += close - at;
    if (stamps_length) {
        if (!empty) *write++ = ',';
        memcpy(write, stamps, stamps_length);
        write += stamps_length;
    }
    *write++ = '}';
    return (size_t)(write - output);
}

static unsigned hex(const uint8_t *at) {
    unsigned unit = 0;
    for (int index = 0; index < 4; index++) {
        uint8_t digit = at[index];
        unit = unit << 4 | (unsigned)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return unit;
}

static uint8_t *put_utf8(uint8_t *write, unsigned code) {
    if (code < 0x80) {
        *write++ = (uint8_t)code;
    } else if (code < 0x800) {
        *write++ = (uint8_t)(0xC0 | code >> 6);
        *write++ = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *write++ = (uint8_t)(0xE0 | code >> 12);
        *write++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *write++ = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        *write++ = (uint8_t)(0xF0 | code >> 18);
        *write++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        *write++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *write++ = (uint8_t)(0x80 | (code & 0x3F));
    }
    return write;
}

size_t cb_unescape(const cb_value *value, uint8_t *output) {
    const uint8_t *at = value->start, *end = value->end;
    uint8_t *write = output;
    while (at < end) {
        if (*at != '\\') {
            *write++ = *at++;
            continue;
        }
        uint8_t code = at[1];
        at += 2;
        switch (code) {
        case 'b': *write++ = '\b'; break;
        case 'f': *write++ = '\f'; break;
        case 'n': *write++ = '\n'; break;
        case 'r': *write++ = '\r'; break;
        case 't': *write++ = '\t'; break;
        case 'u':
            if (end - at >= 4) {
                unsigned unit = hex(at);
                at += 4;
                if (unit >= 0xD800 && unit <= 0xDBFF && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (hex(at + 2) - 0xDC00);
                    at += 6;
                }
                write = put_utf8(write, unit);
            }
            break;
        default: *write++ = code;
        }
    }
    return (size_t)(write - output);
}

int64_t cb_read_page(const uint8_t *bytes, size_t length, const cb_column *columns, int column_count,
                     const char *stamps) {
    const uint8_t *end = bytes + length, *at = cb_find_records(bytes, end);
    cb_shape shape = cb_shape_of(columns, column_count);
    size_t stamps_length = strlen(stamps), capacity = 0;
    uint8_t *text = NULL;
    cb_record record;
    int64_t written = 0;
    int failed = at == NULL;
    while (at && (at = cb_next_record(at, end, &shape, &record, &failed))) {
        size_t room = (size_t)(record.end - record.start) + stamps_length + 2;
        if (room > capacity) {
            capacity = room * 2;
            text = realloc(text, capacity);
        }
        written += (int64_t)cb_splice(&record, stamps, stamps_length, text);
    }
    free(text);
    return failed ? -1 : written;
}

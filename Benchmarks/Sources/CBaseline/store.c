// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#include "page.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cb_store {
    sqlite3 *database;
    cb_shape shape;
    const char *table, *stamps;
    size_t stamps_length;
    int dirty;
    sqlite3_stmt *begin, *commit, *lookup, *insert;
    sqlite3_stmt *updates[1 << CB_MAX_COLUMNS];  // by the set of columns that changed
    uint8_t *text;                               // the row being written
    size_t text_capacity;
    uint8_t *escapes;  // the index values of that row that contained escapes
    char error[256];
};

static int failed(cb_store *store, const char *what) {
    snprintf(store->error, sizeof store->error, "%s: %s", what, sqlite3_errmsg(store->database));
    return 1;
}

static sqlite3_stmt *prepare(cb_store *store, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

cb_store *cb_open(const char *path, const char *setup, const char *table, const cb_column *columns, int column_count,
                  int dirty, const char *stamps) {
    if (column_count > CB_MAX_COLUMNS) return NULL;
    cb_store *store = calloc(1, sizeof *store);
    store->shape = cb_shape_of(columns, column_count);
    store->table = table;
    store->stamps = stamps;
    store->stamps_length = strlen(stamps);
    store->dirty = dirty;
    if (sqlite3_open_v2(path, &store->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK
        || sqlite3_exec(store->database, setup, NULL, NULL, NULL) != SQLITE_OK) {
        cb_close(store);
        return NULL;
    }

    char lookup[1024], insert[1024];
    int l = snprintf(lookup, sizeof lookup, "SELECT id, lastModified, soup");
    int i = snprintf(insert, sizeof insert, "INSERT INTO %s (soup, created, lastModified", table);
    for (int column = 0; column < column_count; column++) {
        l += snprintf(lookup + l, sizeof lookup - l, ", %s", columns[column].column);
        i += snprintf(insert + i, sizeof insert - i, ", %s", columns[column].column);
    }
    snprintf(lookup + l, sizeof lookup - l, " FROM %s WHERE %s = ?1 LIMIT 2", table, columns[0].column);
    i += snprintf(insert + i, sizeof insert - i, ") VALUES (?1, ?2, ?2");
    for (int column = 0; column < column_count; column++) {
        i += snprintf(insert + i, sizeof insert - i, ", ?%d", column + 3);
    }
    snprintf(insert + i, sizeof insert - i, ")");
    store->begin = prepare(store, "BEGIN IMMEDIATE");
    store->commit = prepare(store, "COMMIT");
    store->lookup = prepare(store, lookup);
    store->insert = prepare(store, insert);
    if (!store->begin || !store->commit || !store->lookup || !store->insert) {
        cb_close(store);
        return NULL;
    }
    return store;
}

const char *cb_error(const cb_store *store) { return store->error; }

int cb_run(cb_store *store, const char *sql) {
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(store, sql);
}

int cb_close(cb_store *store) {
    for (size_t set = 0; set < sizeof store->updates / sizeof *store->updates; set++) {
        sqlite3_finalize(store->updates[set]);
    }
    sqlite3_finalize(store->begin);
    sqlite3_finalize(store->commit);
    sqlite3_finalize(store->lookup);
    sqlite3_finalize(store->insert);
    int status = sqlite3_close(store->database);
    free(store->text);
    free(store->escapes);
    free(store);
    return status;
}

// Returns the UPDATE of the text, the time and the columns in `set`; prepares it at the first use.
static sqlite3_stmt *update_of(cb_store *store, unsigned set) {
    if (store->updates[set]) return store->updates[set];
    char sql[1024];
    int length = snprintf(sql, sizeof sql, "UPDATE %s SET soup = ?1, lastModified = ?2", store->table);
    for (int column = 0; column < store->shape.column_count; column++) {
        if (set >> column & 1) {
            length += snprintf(sql + length, sizeof sql - length, ", %s = ?%d", store->shape.columns[column].column,
                               column + 3);
        }
    }
    snprintf(sql + length, sizeof sql - length, " WHERE id = ?%d", store->shape.column_count + 3);
    return store->updates[set] = prepare(store, sql);
}

// The value of a column, for binding and comparison.
typedef struct {
    enum { NONE, TEXT, REAL } kind;
    const char *text;
    int length;
    double real;
} column_value;

static column_value value_of(const cb_column *column, const cb_value *value, uint8_t **escapes) {
    column_value result = {NONE, NULL, 0, 0};
    if (column->stamped) {
        result.kind = TEXT;
        result.text = column->stamped;
        result.length = (int)strlen(column->stamped);
    } else if (value->kind == CB_MISSING || (value->kind == CB_OTHER && *value->start == 'n')) {
        return result;
    } else if (column->kind == CB_REAL) {
        // Every number in a page is followed by a byte that strtod stops at.
        result.kind = REAL;
        result.real = strtod((const char *)value->start, NULL);
    } else {
        result.kind = TEXT;
        result.text = (const char *)value->start;
        result.length = (int)(value->end - value->start);
        if (value->kind == CB_ESCAPED_STRING) {
            result.text = (const char *)*escapes;
            result.length = (int)cb_unescape(value, *escapes);
            *escapes += result.length;
        }
    }
    return result;
}

static void bind(sqlite3_stmt *statement, int position, const column_value *value) {
    switch (value->kind) {
    case NONE: sqlite3_bind_null(statement, position); break;
    case TEXT: sqlite3_bind_text(statement, position, value->text, value->length, SQLITE_STATIC); break;
    case REAL: sqlite3_bind_double(statement, position, value->real); break;
    }
}

static int is_stored(sqlite3_stmt *row, int position, const column_value *value) {
    switch (value->kind) {
    case NONE: return sqlite3_column_type(row, position) == SQLITE_NULL;
    case TEXT: {
        const void *text = sqlite3_column_text(row, position);
        return text && sqlite3_column_bytes(row, position) == value->length
            && memcmp(text, value->text, (size_t)value->length) == 0;
    }
    case REAL:
        return sqlite3_column_type(row, position) == SQLITE_FLOAT
            && sqlite3_column_double(row, position) == value->real;
    }
    return 0;
}

static int write_record(cb_store *store, const cb_record *record, int64_t now, cb_counts *counts) {
    int column_count = store->shape.column_count;
    size_t room = (size_t)(record->end - record->start) + store->stamps_length + 2;
    if (room > store->text_capacity) {
        store->text_capacity = room * 2;
        store->text = realloc(store->text, store->text_capacity);
        store->escapes = realloc(store->escapes, store->text_capacity);
    }
    int length = (int)cb_splice(record, store->stamps, store->stamps_length, store->text);
    column_value values[CB_MAX_COLUMNS];
    uint8_t *escapes = store->escapes;
    for (int column = 0; column < column_count; column++) {
        values[column] = value_of(&store->shape.columns[column], &record->values[column], &escapes);
    }
    if (values[0].kind == NONE) {
        snprintf(store->error, sizeof store->error, "a record without an external id");
        return 1;
    }

    sqlite3_stmt *lookup = store->lookup, *write;
    bind(lookup, 1, &values[0]);
    int step = sqlite3_step(lookup);
    if (step == SQLITE_DONE) {
        sqlite3_reset(lookup);
        write = store->insert;
        sqlite3_bind_text(write, 1, (const char *)store->text, length, SQLITE_STATIC);
        sqlite3_bind_int64(write, 2, now);
        for (int column = 0; column < column_count; column++) bind(write, column + 3, &values[column]);
        counts->inserted++;
    } else if (step == SQLITE_ROW) {
        const column_value dirty = {TEXT, "true", 4, 0};
        if (is_stored(lookup, store->dirty + 3, &dirty)) {
            counts->skipped++;
            return sqlite3_reset(lookup);
        }
        const void *old = sqlite3_column_text(lookup, 2);
        if (old && sqlite3_column_bytes(lookup, 2) == length && memcmp(old, store->text, (size_t)length) == 0) {
            counts->unchanged++;
            return sqlite3_reset(lookup);
        }
        int64_t id = sqlite3_column_int64(lookup, 0), before = sqlite3_column_int64(lookup, 1);
        unsigned changed = 0;
        for (int column = 1; column < column_count; column++) {
            if (!is_stored(lookup, column + 3, &values[column])) changed |= 1u << column;
        }
        if (sqlite3_step(lookup) != SQLITE_DONE) {
            sqlite3_reset(lookup);
            snprintf(store->error, sizeof store->error, "more than one row has this external id");
            return 1;
        }
        sqlite3_reset(lookup);
        write = update_of(store, changed);
        if (!write) return failed(store, "prepare");
        sqlite3_bind_text(write, 1, (const char *)store->text, length, SQLITE_STATIC);
        sqlite3_bind_int64(write, 2, now > before ? now : before + 1);
        for (int column = 1; column < column_count; column++) {
            if (changed >> column & 1) bind(write, column + 3, &values[column]);
        }
        sqlite3_bind_int64(write, column_count + 3, id);
        counts->updated++;
    } else {
        sqlite3_reset(lookup);
        return failed(store, "look-up");
    }
    if (sqlite3_step(write) != SQLITE_DONE) {
        sqlite3_reset(write);
        return failed(store, "write");
    }
    sqlite3_reset(write);
    return 0;
}

int cb_write_page(cb_store *store, const uint8_t *bytes, size_t length, cb_counts *counts) {
    const uint8_t *end = bytes + length, *at = cb_find_records(bytes, end);
    if (!at) {
        snprintf(store->error, sizeof store->error, "no records in the page");
        return 1;
    }
    sqlite3_step(store->begin);
    sqlite3_reset(store->begin);
    int64_t now = now_milliseconds();
    cb_record record;
    int failure = 0;
    while ((at = cb_next_record(at, end, &store->shape, &record, &failure))) {
        failure = write_record(store, &record, now, counts);
        if (failure) break;
    }
    if (failure) {
        if (!store->error[0]) snprintf(store->error, sizeof store->error, "not JSON");
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        return 1;
    }
    int step = sqlite3_step(store->commit);
    sqlite3_reset(store->commit);
    return step == SQLITE_DONE ? 0 : failed(store, "commit");
}

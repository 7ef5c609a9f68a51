// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#include "CBaseline.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cb_plain {
    sqlite3 *database;
    sqlite3_stmt *begin, *commit, *upsert, *select;
    uint8_t *texts;
    size_t capacity;
};

static sqlite3_stmt *prepare(cb_plain *store, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

cb_plain *cb_plain_open(const char *path, const char *setup, const char *upsert, const char *select) {
    cb_plain *store = calloc(1, sizeof *store);
    if (sqlite3_open_v2(path, &store->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
        && sqlite3_exec(store->database, setup, NULL, NULL, NULL) == SQLITE_OK) {
        store->begin = prepare(store, "BEGIN IMMEDIATE");
        store->commit = prepare(store, "COMMIT");
        store->upsert = upsert ? prepare(store, upsert) : NULL;
        store->select = select ? prepare(store, select) : NULL;
        if (store->begin && store->commit && (store->upsert || !upsert) && (store->select || !select)) return store;
    }
    cb_plain_close(store);
    return NULL;
}

int cb_plain_write(cb_plain *store, const cb_row *rows, size_t count) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    sqlite3_stmt *upsert = store->upsert;
    if (sqlite3_step(store->begin) != SQLITE_DONE) return 1;
    sqlite3_reset(store->begin);
    for (size_t index = 0; index < count; index++) {
        const cb_row *row = rows + index;
        sqlite3_bind_text(upsert, 1, (const char *)row->text, row->text_length, SQLITE_STATIC);
        sqlite3_bind_int64(upsert, 2, milliseconds);
        sqlite3_bind_text(upsert, 3, (const char *)row->id, row->id_length, SQLITE_STATIC);
        sqlite3_bind_text(upsert, 4, (const char *)row->name, row->name_length, SQLITE_STATIC);
        sqlite3_bind_double(upsert, 5, row->revenue);
        sqlite3_bind_text(upsert, 6, (const char *)row->flag, row->flag_length, SQLITE_STATIC);
        if (sqlite3_step(upsert) != SQLITE_DONE) return 1;
        sqlite3_reset(upsert);
    }
    int step = sqlite3_step(store->commit);
    sqlite3_reset(store->commit);
    return step != SQLITE_DONE;
}

int64_t cb_plain_read(cb_plain *store, const char *key, int key_length, size_t *bytes) {
    sqlite3_stmt *select = store->select;
    if (key) sqlite3_bind_text(select, 1, key, key_length, SQLITE_STATIC);
    int64_t count = 0;
    size_t used = 0;
    int step;
    while ((step = sqlite3_step(select)) == SQLITE_ROW) {
        const void *text = sqlite3_column_text(select, 0);
        size_t length = (size_t)sqlite3_column_bytes(select, 0);
        if (used + length > store->capacity) {
            store->capacity = (used + length) * 2;
            store->texts = realloc(store->texts, store->capacity);
        }
        memcpy(store->texts + used, text, length);
        used += length;
        count++;
    }
    sqlite3_reset(select);
    *bytes = used;
    return step == SQLITE_DONE ? count : -1;
}

int cb_plain_close(cb_plain *store) {
    sqlite3_finalize(store->begin);
    sqlite3_finalize(store->commit);
    sqlite3_finalize(store->upsert);
    sqlite3_finalize(store->select);
    int status = sqlite3_close(store->database);
    free(store->texts);
    free(store);
    return status;
}

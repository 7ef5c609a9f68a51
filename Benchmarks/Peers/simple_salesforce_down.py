# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Writes all records of a query into SQLite with simple-salesforce, and prints the duration.

    SOUP_INSTANCE_URL=... SOUP_ACCESS_TOKEN=... simple_salesforce_down.py FILE QUERY

The table has the form of a soup's table: the record as JSON, and the columns of the same indexes, which exist from the
start. A transaction contains 2,000 records; the journal mode, the synchronisation and the page size are those of
SoupKit's store.
"""

import itertools
import json
import os
import sqlite3
import sys
import time

import requests
from requests.adapters import HTTPAdapter
from simple_salesforce import Salesforce

PAGE = 2000


class WithoutTLS(HTTPAdapter):
    """Replaces https by http: simple-salesforce always builds https URLs, and the org uses http, which costs less."""

    def send(self, request, **options):
        request.url = request.url.replace("https://", "http://", 1)
        return super().send(request, **options)


def columns(record):
    return json.dumps(record), record["Id"], record["Name"], record["AnnualRevenue"], "false"


def main():
    path, query = sys.argv[1:]
    if os.path.exists(path):
        os.remove(path)
    session = requests.Session()
    session.trust_env = False
    session.mount("https://", WithoutTLS())
    client = Salesforce(
        instance_url=os.environ["SOUP_INSTANCE_URL"].replace("http://", "https://"),
        session_id=os.environ["SOUP_ACCESS_TOKEN"],
        session=session,
        version="66.0",
    )
    database = sqlite3.connect(path)
    database.executescript(
        """
        PRAGMA page_size = 8192;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        CREATE TABLE accounts (id INTEGER PRIMARY KEY, soup TEXT, external TEXT, name TEXT, revenue REAL, local TEXT);
        CREATE UNIQUE INDEX accounts_external ON accounts (external);
        CREATE INDEX accounts_name ON accounts (name);
        CREATE INDEX accounts_revenue ON accounts (revenue);
        CREATE INDEX accounts_local ON accounts (local) WHERE local != 'false';
        """
    )
    start = time.monotonic()
    records = client.query_all_iter(query)
    while page := list(itertools.islice(records, PAGE)):
        with database:
            database.executemany(
                "INSERT INTO accounts (soup, external, name, revenue, local) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (external) DO UPDATE SET soup = excluded.soup, name = excluded.name,"
                " revenue = excluded.revenue, local = excluded.local",
                map(columns, page),
            )
    seconds = time.monotonic() - start
    (rows,) = database.execute("SELECT count(*) FROM accounts").fetchone()
    database.close()
    print(json.dumps({"seconds": seconds, "rows": rows}))


if __name__ == "__main__":
    main()

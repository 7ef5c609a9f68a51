# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The configurations that the tests compare: those of the samples, published ones, and one with every plug-in."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Each option of the store backends.
STORES = [
    {"soups": [{"soupName": "a", "indexes": [{"path": "Id", "type": "string"}], "features": []}]},
    {
        "soups": [{"soupName": "a", "indexes": [{"path": "Id", "type": "full_text"}, {"path": "b.c", "type": "json1"}]}],
        "backend": {
            "type": "sqlite", "path": "a.db", "busyTimeout": 2.5, "ownerOnly": True, "booleanCompatibility": False,
            "fileProtection": "complete", "excludedFromBackup": True,
            "fullText": {"tokenizer": "unicode61", "prefixes": [2, 3]},
        },
    },
    {
        "soups": [{"soupName": "a", "indexes": [{"path": "Id", "type": "integer"}]}],
        "backend": {
            "type": "routed", "default": {"type": "sqlite"}, "routes": {"a": {"type": "sqlite", "path": "b.db"}},
        },
    },
    {
        "soups": [{"soupName": "a", "indexes": [{"path": "Id", "type": "floating"}]}],
        "backend": {"type": "layered", "front": {"type": "memory"}, "back": {"type": "sqlite"}, "soups": ["a"]},
    },
    {"_comment": "A comment.", "soups": [], "backend": {"type": "metered", "store": {"type": "memory"}}},
]

# Each kind of authorization, and the options of a session.
ORGS = [
    {"instanceUrl": "https://a.example", "accessToken": "x", "apiVersion": "60.0"},
    {
        "instanceUrl": "https://a.example", "refreshToken": "x", "clientId": "y", "clientSecret": "z",
        "loginUrl": "https://b.example", "username": "u", "password": "p",
        "transport": {"type": "curl", "idleTimeout": 10, "totalTimeout": 60, "maximumAnswerBytes": 1000000},
    },
    {
        "connections": {
            "a": {"baseURL": "https://a.example", "auth": {"type": "bearer", "token": "x"}, "headers": {"b": "c"}},
            "b": {"baseURL": "https://a.example", "auth": {"type": "basic", "username": "x", "password": "y"}},
            "c": {"baseURL": "https://a.example", "auth": {"type": "apiKey", "name": "k", "value": "v", "in": "query"}},
            "d": {
                "baseURL": "https://a.example",
                "auth": {
                    "type": "oauth", "tokenURL": "https://a.example/t", "clientId": "i", "clientSecret": "s",
                    "refreshToken": "r", "scope": "s", "parameters": {"p": "q"}, "clientAuthentication": "header",
                },
            },
        },
        "plugins": [],
    },
    {
        "loginUrl": "https://a.example", "clientId": "c", "username": "u",
        "credentials": {"type": "file", "path": "sessions"},
        "connections": {
            "e": {
                "baseURL": "https://a.example",
                "auth": {
                    "type": "oauth", "tokenURL": "https://a.example/t", "clientId": "i",
                    "authorizationURL": "https://a.example/a", "deviceURL": "https://a.example/d",
                    "revocationURL": "https://a.example/r",
                },
            },
        },
    },
    {"instanceUrl": "https://a.example", "clientId": "c", "credentials": "memory"},
]

# Options that no sample of a target has.
HTTP = {
    "type": "http", "url": "https://a.example/items", "records": "results", "id": {"path": "key", "field": "Id"},
    "modified": "updated_at", "dateFormat": "epochSeconds", "headers": {"Accept": "application/json"},
    "parameters": {"a": "b", "c": 1, "d": True, "since": "{since}"}, "minInterval": 0.5,
    "paging": {"type": "cursor", "next": {"header": "Next-Page"}, "expired": [410]},
    "since": {"operator": ">=", "overlap": 5}, "deleted": {"path": "gone", "value": True}, "total": "count",
    "gone": {"statuses": [404], "path": "error.code", "values": ["gone"]}, "error": {"code": "c", "message": "m"},
    "survivors": {"type": "ids", "parameters": {"ids": "{ids}"}, "batch": 50},
}
HTTP_UP = {
    "type": "http", "url": "https://a.example/items", "records": "results", "id": "id", "modified": "updated_at",
    "fieldlist": ["name"], "update": {"style": "jsonPatch", "path": "/items/{id}"}, "delete": False, "ifMatch": False,
    "create": {"method": "POST", "batch": {"size": 10, "list": "items", "match": "order", "elements": "records"}},
    "constants": {"source": "app"}, "statuses": {"conflict": [409], "retry": [423]}, "wrap": "item",
    "clientKey": {"header": "Idempotency-Key"},
}
OPTIONS = [
    {"mergeMode": "OVERWRITE"},
    {"mergeMode": "MERGE", "fieldlist": ["Name"], "conflictResolver": "newest", "removeAllGhosts": True},
    {"mergeMode": "LEAVE_IF_CHANGED", "transforms": [{"type": "rename", "fields": {"a": "b"}}]},
    {"mergeMode": "MERGE", "conflictResolver": {"type": "local"}, "transforms": []},
]


def files(pattern):
    """The contents of the configuration files whose names end with a pattern."""
    folders = [ROOT / "Samples", ROOT / "Tests" / "SoupKitTests" / "Fixtures"]
    paths = sorted(path for folder in folders for path in folder.glob(f"**/*{pattern}") if ".build" not in path.parts)
    return [json.loads(path.read_text()) for path in paths]


def targets(soup):
    """A configuration of syncs for each target, with its sample, and some with more options."""
    lines = subprocess.run([soup, "targets", "--json"], capture_output=True, text=True, check=True).stdout.splitlines()
    samples = [(target["kind"], target["sample"]) for target in map(json.loads, lines) if "sample" in target]
    samples += [("down", HTTP), ("up", HTTP_UP), ("up", {}), ("down", {"iOSImpl": "SFSoqlSyncDownTarget", "x": 1,
        "query": "SELECT Id FROM Contact"})]
    return [
        {
            "syncs": [
                {
                    "syncName": "sync", "syncType": "syncDown" if kind == "down" else "syncUp", "soupName": "a",
                    "target": sample, "options": OPTIONS[number % len(OPTIONS)],
                }
            ]
        }
        for number, (kind, sample) in enumerate(samples)
    ]

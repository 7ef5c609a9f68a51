# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The dialects of the services: the targets that describe each, and its records as another client reads them."""


import unittest


class Dialect:
    #: The file in the folder `services`.
    script = None
    #: The API key that the service requires in the header X-API-Key.
    key = None
    #: The path of the list, and of a record with {}.
    path = None
    item = None
    id_type = "string"
    #: The target of each direction, without type and url.
    down = {}
    up = {}
    mode = "LEAVE_IF_CHANGED"
    #: Whether a sync down itself removes deleted records.
    reports_deletions = False
    #: Whether the URL of the next page contains its number.
    numbers_pages = False
    #: Whether an update is a PUT with all fields.
    replaces = False
    #: Whether the service recognizes a creation that is sent again, or finds it by its key.
    recognizes_creations = True
    #: A name that the service rejects.
    bad_name = "a name of more than 20 characters"

    def records(self, service):
        """Returns the records by their IDs."""
        raise NotImplementedError


class Django(Dialect):
    """Django REST framework: three lists of the same records."""

    script = "django_service.py"
    id_type = "integer"
    service = {"records": "results", "id": "id", "modified": "updated_at"}
    since = {"parameters": {"since": "{since}"}, "sortedByModified": True}
    up = {**service, "clientKey": {"field": "client_id", "parameters": {"client_id": "{clientKey}"}}}

    def records(self, service):
        return {record["id"]: record for record in service.expect(200, "GET", "/api/offsets/?limit=1000")["results"]}


class Numbers(Django):
    """Numbered pages."""

    path, item = "/api/numbers/", "/api/numbers/{}/"
    down = {
        **Django.service, **Django.since, "paging": {"type": "page", "more": "next"}, "total": "count",
        "totalIsExact": True, "survivors": "list",
    }


class Cursors(Django):
    """Cursors that are URLs."""

    path, item = "/api/cursors/", "/api/cursors/{}/"
    down = {**Django.service, **Django.since, "paging": {"type": "cursor", "next": "next"}, "survivors": "each"}


class Offsets(Django):
    """Offsets, updates with the whole record, and merged changes."""

    path, item = "/api/offsets/", "/api/offsets/{}/"
    mode = "MERGE"
    up = {**Django.up, "update": "put", "fieldlist": ["name", "city"]}
    down = {
        **Django.service, "parameters": {"since": "{since}", "limit": "{limit}"}, "total": "count",
        "totalIsExact": True, "paging": {"type": "offset", "limit": 2}, "survivors": "list",
    }


class Links(Dialect):
    """FastAPI: `Link` headers, ETags, and idempotency keys."""

    script = "fastapi_service.py"
    numbers_pages = True
    path, item = "/contacts", "/contacts/{}"
    service = {"id": "id", "modified": "updated", "version": "etag"}
    down = {
        **service, "paging": "link", "parameters": {"since": "{since}"}, "sortedByModified": True, "survivors": "each",
    }
    up = {
        **service, "ifMatch": True, "clientKey": {"header": "Idempotency-Key"},
        "error": {"message": "detail", "fields": "detail.loc"},
    }

    def records(self, service):
        found, page = {}, 1
        while body := service.expect(200, "GET", f"/contacts?page={page}"):
            found.update({record["id"]: record for record in body})
            page += 1
        return found


class Patches(Links):
    """The service of `Links`, with JSON patches."""

    up = {**Links.up, "update": "jsonPatch"}


class LastIds(Links):
    """The service of `Links`, whose pages begin after the last ID of the page before."""

    path, item = "/by-id/contacts", "/by-id/contacts/{}"
    numbers_pages = False
    service = {**Links.service, "records": "data"}
    down = {
        **service, "paging": {"type": "lastId", "more": "has_more"}, "survivors": "each",
        "parameters": {"since": "{since}", "starting_after": "{lastId}"},
    }
    up = {**Links.up, "records": "data"}


class Keysets(LastIds):
    """The service of `Links`, whose pages begin after the date and the ID of the last record."""

    path, item = "/by-key/contacts", "/by-key/contacts/{}"
    down = {
        **LastIds.service, "paging": {"type": "keyset", "more": "has_more"}, "survivors": "each",
        "sortedByModified": True, "parameters": {"since": "{since}", "after_id": "{lastId}"},
    }


class Undated(Links):
    """The service of `Links`, by versions only: the target knows no dates."""

    service = {"id": "id", "version": "etag"}
    down = {**service, "paging": "link", "survivors": "list"}
    # The service sets the date, which is a field like others to this target.
    up = {**Links.up, **service, "fieldlist": ["name", "city"]}
    del up["modified"]


class Overwriting(Links):
    """The service of `Links`, without dates and versions."""

    mode = "OVERWRITE"
    down = {"id": "id", "paging": "link", "survivors": "each"}
    up = {
        "id": "id", "fieldlist": ["name", "city"], "clientKey": {"header": "Idempotency-Key"},
        "error": Links.up["error"],
    }


class Deltas(Dialect):
    """Flask: delta tokens with tombstones, integer IDs, dates in seconds, and an API key."""

    script = "flask_service.py"
    key = "a-key-of-a-test"
    path, item = "/v1/contacts", "/v1/contacts/{}"
    id_type = "integer"
    reports_deletions = True
    replaces = True
    recognizes_creations = False
    bad_name = ""
    service = {
        "records": "data.contacts", "record": "contact", "id": "id", "modified": "changed",
        "dateFormat": "epochSeconds",
        "error": {"code": "error.code", "message": "error.message", "fields": "error.fields"},
    }
    down = {
        **service, "deleted": {"path": "removed", "value": True}, "delta": {"token": "sync"},
        "parameters": {"token": "{token}", "after": "{cursor}"},
        "paging": {"type": "cursor", "next": "paging.after"},
    }
    up = {
        **service, "update": "put", "fieldlist": ["name", "city", "client_id"], "updateFieldlist": ["name", "city"],
        "gone": {"path": "error.code", "values": ["NO_CONTACT"]},
    }

    def records(self, service):
        found, after = {}, ""
        while True:
            body = service.expect(200, "GET", f"/v1/contacts{after}")
            found.update({record["id"]: record for record in body["data"]["contacts"] if not record["removed"]})
            if not body["paging"]["after"]:
                return found
            after = f"?after={body['paging']['after']}"


class Batches(Deltas):
    """The service of `Deltas`, with changes in batches, and creations that are looked up by a key."""

    recognizes_creations = True
    batch = {"list": "contacts", "results": "results", "status": "status"}
    path_of_batches = "/v1/contacts/batch"
    up = {
        **Deltas.up,
        "create": {"path": path_of_batches, "batch": {**batch, "size": 2, "record": "contact", "match": "clientKey"}},
        "update": {"style": "put", "path": path_of_batches, "batch": {**batch, "record": "contact", "match": "order"}},
        "delete": {"method": "DELETE", "path": path_of_batches, "batch": {**batch, "elements": "ids"}},
        "clientKey": {"field": "client_id", "parameters": {"client_id": "{clientKey}"}},
    }


ALL = [
    Numbers(), Cursors(), Offsets(), Links(), Patches(), LastIds(), Keysets(), Undated(), Overwriting(), Deltas(), Batches(),
]


def test_cases(base):
    """Returns a test case for each dialect, by its name."""
    return {
        f"{name}Tests": type(f"{name}Tests", (base, unittest.TestCase), {"dialect": dialect})
        for dialect in ALL
        for name in [type(dialect).__name__]
    }

# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Django REST framework: numbered pages, cursors, and offsets."""

import service_case

SERVICE = {"records": "results", "id": "id", "modified": "updated_at"}
SINCE = {"parameters": {"since": "{since}"}, "sortedByModified": True}


class DjangoService:
    script = "django_service.py"
    id_type = "integer"
    up = {**SERVICE, "clientKey": {"field": "client_id", "parameters": {"client_id": "{clientKey}"}}}

    def records(self):
        status, body = self.service.call("GET", "/api/offsets/?limit=1000")
        self.assertEqual(status, 200, body)
        return {record["id"]: record for record in body["results"]}


class NumbersTests(DjangoService, service_case.ServiceCase):
    path, item = "/api/numbers/", "/api/numbers/{}/"
    down = {
        **SERVICE, **SINCE, "paging": {"type": "page", "more": "next"}, "total": "count", "totalIsExact": True,
        "survivors": "list",
    }


class CursorsTests(DjangoService, service_case.ServiceCase):
    path, item = "/api/cursors/", "/api/cursors/{}/"
    down = {**SERVICE, **SINCE, "paging": {"type": "cursor", "next": "next"}, "survivors": "each"}


class OffsetsTests(DjangoService, service_case.ServiceCase):
    path, item = "/api/offsets/", "/api/offsets/{}/"
    mode = "MERGE"
    up = {**DjangoService.up, "update": "put", "fieldlist": ["name", "city"]}
    down = {
        **SERVICE, "parameters": {"since": "{since}", "limit": "{limit}"}, "total": "count", "totalIsExact": True,
        "paging": {"type": "offset", "limit": 2}, "survivors": "list",
    }

# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""FastAPI: Link headers, ETags, and idempotency keys."""

import service_case

SERVICE = {"id": "id", "modified": "updated", "version": "etag"}


class LinkTests(service_case.ServiceCase):
    script = "fastapi_service.py"
    path, item = "/contacts", "/contacts/{}"
    down = {
        **SERVICE, "paging": "link", "parameters": {"since": "{since}"}, "sortedByModified": True, "survivors": "each",
    }
    up = {
        **SERVICE, "ifMatch": True, "clientKey": {"header": "Idempotency-Key"},
        "error": {"message": "detail", "fields": "detail.loc"},
    }

    def records(self):
        found, page = {}, 1
        while True:
            status, body = self.service.call("GET", f"/contacts?page={page}")
            self.assertEqual(status, 200, body)
            if not body:
                return found
            found.update({record["id"]: record for record in body})
            page += 1

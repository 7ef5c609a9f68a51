# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Flask: delta tokens with tombstones, integer IDs, dates in seconds, and an API key."""

import service_case

SERVICE = {
    "records": "data.contacts", "record": "contact", "id": "id", "modified": "changed", "dateFormat": "epochSeconds",
}


class DeltaTests(service_case.ServiceCase):
    script = "flask_service.py"
    headers = {"X-API-Key": "a-key-of-a-test"}
    path, item = "/v1/contacts", "/v1/contacts/{}"
    id_type = "integer"
    reports_deletions = True
    bad_name = ""
    down = {
        **SERVICE, "deleted": {"path": "removed", "value": True}, "delta": {"token": "sync"},
        "parameters": {"token": "{token}", "after": "{cursor}"},
        "paging": {"type": "cursor", "next": "paging.after"},
    }
    up = {
        **SERVICE, "update": "put", "fieldlist": ["name", "city", "client_id"], "updateFieldlist": ["name", "city"],
        "error": {"code": "error.code", "message": "error.message", "fields": "error.fields"},
        "gone": {"path": "error.code", "values": ["NO_CONTACT"]},
    }

    def records(self):
        found, after = {}, ""
        while True:
            status, body = self.service.call("GET", f"/v1/contacts{after}")
            self.assertEqual(status, 200, body)
            found.update({record["id"]: record for record in body["data"]["contacts"] if not record["removed"]})
            if not body["paging"]["after"]:
                return found
            after = f"?after={body['paging']['after']}"

    def change(self, key, name):
        status, body = self.service.call("PUT", self.item.format(key), {"name": name, "city": "Bern"})
        self.assertEqual(status, 200, body)

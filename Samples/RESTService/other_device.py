# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Another device of the user: it reads and changes the notes on the server, without a store.

    other_device.py put ID TITLE     creates or replaces a note
    other_device.py delete ID
    other_device.py list             prints the titles of all notes
"""

import base64
import json
import os
import sys
import urllib.request

NOTES = os.environ["KINTO_URL"] + "/buckets/default/collections/notes/records"


def send(method, url, body=None):
    credentials = base64.b64encode(f"ana:{os.environ['KINTO_PASSWORD']}".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


match sys.argv[1:]:
    case ["put", note, title]:
        send("PUT", f"{NOTES}/{note}", {"data": {"title": title, "done": False}})
    case ["delete", note]:
        send("DELETE", f"{NOTES}/{note}")
    case ["list"]:
        for note in send("GET", f"{NOTES}?_sort=title")["data"]:
            print(f"{note['title']}, {'done' if note['done'] else 'open'}")
    case _:
        sys.exit(__doc__)

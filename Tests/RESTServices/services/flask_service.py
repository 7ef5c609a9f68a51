# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A service of Flask with delta tokens and tombstones, integer IDs, dates in seconds, batches, and an API key.

    python flask_service.py PORT
"""

import base64
import copy
import itertools
import sys

from flask import Flask, jsonify, request

app = Flask(__name__)
contacts = {}
clock = itertools.count(1)
START = 1_767_225_600
SIZE = 2


def token(kind, number):
    return base64.urlsafe_b64encode(f"{kind}:{number}".encode()).decode()


def number(kind, text):
    """Returns the number in a token, or None if it is not one of this kind."""
    try:
        found, value = base64.urlsafe_b64decode(text).decode().split(":")
        return int(value) if found == kind else None
    except ValueError:
        return None


def error(status, code, message, **members):
    return jsonify({"error": {"code": code, "message": message, **members}}), status


def stamp(contact):
    contact["rev"] = next(clock)
    contact["changed"] = START + contact["rev"]
    return contact


@app.before_request
def check_key():
    if request.headers.get("X-API-Key") != "a-key-of-a-test":
        return error(401, "NO_KEY", "the API key is missing")
    return None


@app.get("/v1/contacts")
def changes():
    """Lists the changes since a token, with deleted records, in the order of the changes."""
    since = 0
    if text := request.args.get("after") or request.args.get("token"):
        since = number("page" if request.args.get("after") else "sync", text)
        if since is None:
            return error(410, "TOKEN_EXPIRED", "the token is not known")
    elif key := request.args.get("client_id"):
        matching = [row for row in contacts.values() if row["client_id"] == key and not row["removed"]]
        return jsonify({"data": {"contacts": matching}, "paging": {"after": None}})
    elif request.args:
        return error(400, "NO_PARAMETER", "the parameter is not known")
    matching = sorted((row for row in contacts.values() if row["rev"] > since), key=lambda row: row["rev"])
    if not request.args:
        matching = [row for row in matching if not row["removed"]]
    page, rest = matching[:SIZE], matching[SIZE:]
    last = page[-1]["rev"] if page else since
    body = {"data": {"contacts": page}, "paging": {"after": token("page", last) if rest else None}}
    if not rest:
        body["sync"] = token("sync", max((row["rev"] for row in contacts.values()), default=0))
    return jsonify(body)


@app.post("/v1/contacts")
def create():
    return created(request.get_json())


def created(body):
    unknown = set(body) - {"name", "city", "client_id"}
    if unknown:
        return error(422, "UNKNOWN_FIELD", "the service has no such field", fields=sorted(unknown))
    if not body.get("name"):
        return error(422, "NO_NAME", "a contact must have a name", fields=["name"])
    new = {"id": len(contacts) + 1, "city": "", "client_id": None, **body, "removed": False}
    contacts[new["id"]] = stamp(new)
    return jsonify({"contact": new}), 201


@app.get("/v1/contacts/<int:contact_id>")
def read(contact_id):
    contact = contacts.get(contact_id)
    if contact is None or contact["removed"]:
        return error(404, "NO_CONTACT", "there is no such contact")
    return jsonify({"contact": contact})


@app.put("/v1/contacts/<int:contact_id>")
def update(contact_id):
    return updated(contact_id, request.get_json())


def updated(contact_id, body):
    contact = contacts.get(contact_id)
    if contact is None or contact["removed"]:
        return error(404, "NO_CONTACT", "there is no such contact")
    if not body.get("name"):
        return error(422, "NO_NAME", "a contact must have a name", fields=["name"])
    contact.update(name=body["name"], city=body.get("city", ""))
    return jsonify({"contact": stamp(contact)})


@app.delete("/v1/contacts/<int:contact_id>")
def delete(contact_id):
    contact = contacts.get(contact_id)
    if contact is None or contact["removed"]:
        return error(404, "NO_CONTACT", "there is no such contact")
    contact["removed"] = True
    stamp(contact)
    return "", 204


@app.route("/v1/contacts/batch", methods=["POST", "PUT", "DELETE"])
def batch():
    """Applies the changes one by one, and returns a result for each."""
    elements = request.get_json()["contacts"]
    changes = {
        "POST": created, "PUT": lambda body: updated(body["id"], body), "DELETE": lambda contact_id: delete(contact_id),
    }
    results = []
    for element in elements:
        answer, status = result if isinstance(result := changes[request.method](element), tuple) else (result, 200)
        key = element.get("client_id") if isinstance(element, dict) else None
        results.append({"status": status, "client_id": key, **({} if answer == "" else answer.get_json())})
    return jsonify({"results": results})


# For the tests: copies of all records.
kept = {}


@app.post("/keep/<name>")
def keep(name):
    kept[name] = copy.deepcopy(contacts)
    return jsonify({})


@app.post("/restore/<name>")
def restore(name):
    contacts.clear()
    contacts.update(copy.deepcopy(kept[name]))
    return jsonify({})


@app.errorhandler(404)
def no_path(_):
    return error(404, "NO_PATH", "there is no such path")


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(sys.argv[1]))

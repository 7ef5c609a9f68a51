# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A service of FastAPI with Link headers, ETags, If-Match, idempotency keys and JSON patches.

    python fastapi_service.py PORT
"""

import copy
import itertools
import sys
import threading
import uuid
from datetime import datetime, timedelta, timezone
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError

app = FastAPI()
lock = threading.Lock()
contacts: dict[str, dict] = {}
keys: dict[str, str] = {}
clock = itertools.count(1)
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
SIZE = 2


class Contact(BaseModel):
    name: str = Field(max_length=20)
    city: str = ""


class Change(BaseModel):
    name: str | None = Field(None, max_length=20)
    city: str | None = None


def stamp(contact):
    number = next(clock)
    contact["updated"] = (START + timedelta(seconds=number)).isoformat()
    contact["etag"] = f'"{number}"'
    return contact


def shown(contact, response):
    response.headers["ETag"] = contact["etag"]
    return contact


def found(contact_id):
    if contact_id not in contacts:
        raise HTTPException(404, "Contact not found")
    return contacts[contact_id]


def compare(contact, version):
    if version is not None and version != contact["etag"]:
        raise HTTPException(412, "The contact has another version")


@app.get("/contacts")
def list_contacts(request: Request, response: Response, page: int = 1, since: datetime | None = None):
    matching = sorted(contacts.values(), key=lambda contact: (contact["updated"], contact["id"]))
    if since:
        matching = [contact for contact in matching if datetime.fromisoformat(contact["updated"]) >= since]
    if page * SIZE < len(matching):
        following = request.url.include_query_params(page=page + 1)
        response.headers["Link"] = f'<{request.url}>; rel="self", <{following}>; title="a, b"; rel="next"'
    return matching[(page - 1) * SIZE : page * SIZE]


@app.get("/by-id/contacts")
def list_by_id(starting_after: str | None = None, since: datetime | None = None):
    """Lists the records after an ID, in the order of the IDs."""
    if starting_after is not None:
        found(starting_after)
    matching = [contacts[key] for key in sorted(contacts) if key > (starting_after or "")]
    if since:
        matching = [contact for contact in matching if datetime.fromisoformat(contact["updated"]) >= since]
    return {"data": matching[:SIZE], "has_more": len(matching) > SIZE}


@app.get("/by-key/contacts")
def list_by_key(since: datetime | None = None, after_id: str | None = None):
    """Lists the records after a date and an ID, in the order of both; without an ID, those from the date on."""
    def key(contact):
        return datetime.fromisoformat(contact["updated"]), contact["id"]

    matching = sorted(contacts.values(), key=key)
    if since:
        start = (since, after_id or "")
        matching = [contact for contact in matching if key(contact) > start]
    return {"data": matching[:SIZE], "has_more": len(matching) > SIZE}


@app.post("/contacts", status_code=201)
@app.post("/by-id/contacts", status_code=201)
@app.post("/by-key/contacts", status_code=201)
def create(contact: Contact, response: Response, idempotency_key: str | None = Header(None)):
    with lock:
        if idempotency_key in keys:
            return shown(contacts[keys[idempotency_key]], response)
        new = stamp({"id": str(uuid.uuid4()), **contact.model_dump()})
        contacts[new["id"]] = new
        if idempotency_key:
            keys[idempotency_key] = new["id"]
        return shown(new, response)


@app.get("/contacts/{contact_id}")
@app.get("/by-id/contacts/{contact_id}")
@app.get("/by-key/contacts/{contact_id}")
def read(contact_id: str, response: Response):
    return shown(found(contact_id), response)


async def sent_change(request: Request):
    """Returns the fields in the body, which is an object or a JSON patch."""
    try:
        body = await request.json()
        if request.headers["Content-Type"] == "application/json-patch+json":
            assert all(operation["op"] == "add" for operation in body), body
            body = {operation["path"].removeprefix("/"): operation["value"] for operation in body}
        return Change.model_validate(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


@app.patch("/contacts/{contact_id}")
@app.patch("/by-id/contacts/{contact_id}")
@app.patch("/by-key/contacts/{contact_id}")
def update(
    contact_id: str, change: Annotated[Change, Depends(sent_change)], response: Response,
    if_match: str | None = Header(None),
):
    with lock:
        contact = found(contact_id)
        compare(contact, if_match)
        contact.update(change.model_dump(exclude_unset=True))
        return shown(stamp(contact), response)


@app.delete("/contacts/{contact_id}", status_code=204)
@app.delete("/by-id/contacts/{contact_id}", status_code=204)
@app.delete("/by-key/contacts/{contact_id}", status_code=204)
def delete(contact_id: str, if_match: str | None = Header(None)):
    with lock:
        compare(found(contact_id), if_match)
        del contacts[contact_id]


# For the tests: copies of all records.
kept: dict[str, tuple[dict, dict]] = {}


@app.post("/keep/{name}")
def keep(name: str):
    kept[name] = copy.deepcopy((contacts, keys))


@app.post("/restore/{name}")
def restore(name: str):
    for current, former in zip((contacts, keys), copy.deepcopy(kept[name])):
        current.clear()
        current.update(former)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")

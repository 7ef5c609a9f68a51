# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""The faults between soup and a service."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from proxy import Answer

HTML = b"<!DOCTYPE html><html><body>Please sign in to the guest network.</body></html>"


@dataclass(frozen=True)
class Fault:
    """A fault of a request."""

    name: str
    #: Returns the bytes that the client receives, and the end of the connection: `keep`, `close` or `reset`.
    respond: Callable
    #: Whether the service receives the request, and carries it out.
    forwards: bool
    #: Whether all later requests have the fault, too.
    lasts: bool = False
    #: The methods of the requests that have the fault; None for all.
    methods: tuple | None = None

    def applies_to(self, method):
        return self.methods is None or method in self.methods


def dropped(data, end):
    """The client receives a part of the response, which a function returns."""
    return lambda exchange: (data(exchange.answer), end)


def nothing(_):
    return b""


def half(answer):
    data, head = answer.bytes(), len(answer.head())
    return data[: head + max(len(answer.body) // 2, 1)] if len(answer.body) > 1 else data[: head // 2]


def chunked(answer):
    """The first half of the body as a chunk, without the chunk of length 0 that ends a body."""
    part = answer.body[: len(answer.body) // 2] or b"{"
    return answer.head(("Transfer-Encoding", "chunked")) + b"%x\r\n%s\r\n" % (len(part), part)


def length(more):
    """The response with a length that is not that of its body."""
    def data(answer):
        return answer.head(("Content-Length", str(max(len(answer.body) + more, 1)))) + answer.body
    return data


def instead(status, body, *headers, kind="text/html"):
    """Another response, as of a gateway."""
    answer = Answer(status, "Instead", [("Content-Type", kind), *headers], body)
    return lambda _: (answer.bytes(), "keep")


def before(exchange):
    return (exchange.previous or Answer(headers=[("Content-Type", "application/json")], body=b"{}")).bytes(), "keep"


def refused(exchange):
    exchange.proxy.refuse()
    return b"", "reset"


def killed(exchange):
    exchange.proxy.kill()
    return b"", "reset"


LOST = [
    Fault("reset before the request", dropped(nothing, "reset"), forwards=False),
    Fault("closed before the request", dropped(nothing, "close"), forwards=False),
    Fault("refused from now on", refused, forwards=False),
    Fault("answer lost", dropped(nothing, "reset"), forwards=True),
    Fault("answer lost, closed", dropped(nothing, "close"), forwards=True),
    Fault("cut off in the head", dropped(lambda answer: answer.bytes()[:20], "close"), forwards=True),
    Fault("cut off in the body", dropped(half, "close"), forwards=True),
    Fault("reset in the body", dropped(half, "reset"), forwards=True),
    Fault("chunks without an end", dropped(chunked, "close"), forwards=True),
    Fault("a length that is too large", dropped(length(10), "close"), forwards=True),
    Fault("a length that is too small", dropped(length(-7), "close"), forwards=True),
    Fault("the answer before", before, forwards=True),
]

JSON = "application/json"
ANSWERS = {
    "500 HTML": instead(500, HTML),
    "502 HTML": instead(502, HTML),
    "503 HTML": instead(503, HTML),
    "503 Retry-After": instead(503, b'{"detail": "busy"}', ("Retry-After", "0"), kind=JSON),
    "200 HTML": instead(200, HTML),
    "200 empty": instead(200, b""),
    "200 {}": instead(200, b"{}", kind=JSON),
    "200 []": instead(200, b"[]", kind=JSON),
    '200 "ok"': instead(200, b'"ok"', kind=JSON),
    "204": instead(204, b""),
    "302": instead(302, HTML, ("Location", "https://portal.example.net/sign-in")),
    "400 HTML": instead(400, HTML),
    "401 HTML": instead(401, HTML, ("WWW-Authenticate", "Basic")),
    "401 JSON": instead(401, b'{"message": "Unauthorized"}', kind=JSON),
    "403 HTML": instead(403, HTML),
    "404 HTML": instead(404, HTML),
    "404 JSON": instead(404, b'{"message": "no Route matched with those values"}', kind=JSON),
    "404 empty": instead(404, b""),
    "408 HTML": instead(408, HTML),
    "429 Retry-After": instead(429, HTML, ("Retry-After", "0")),
    "429 JSON": instead(429, b'{"detail": "Request was throttled."}', ("Retry-After", "0"), kind=JSON),
}

#: Responses in the form of the service's own: a gateway that sends them does not forward the request.
OWN_FORMS = ("401 JSON", "429 JSON")
WRITES = ("POST", "PUT", "PATCH", "DELETE")


def methods(name, when):
    if name == "204":
        return ("GET", "POST") if when == "before" else ("POST",)  # The usual response to other requests.
    return None if when == "before" else WRITES


#: A response of a gateway instead of the service's own, before the service receives the request, or after that.
REPLACED = [
    Fault(f"{name}, {when}", respond, forwards=when == "after", methods=methods(name, when))
    for name, respond in ANSWERS.items()
    for when in ("before", "after")
    if when == "before" or name not in OWN_FORMS
]

#: The transport repeats a request that only reads, so that one fault is not seen by the target; these are.
LASTING = [
    replace(fault, name=f"{fault.name}, lasting", lasts=True)
    for fault in LOST + REPLACED
    if fault.name in (
        "reset before the request", "answer lost", "cut off in the body", "502 HTML, before", "503 Retry-After, before",
        "200 HTML, before", "200 {}, before", "302, before", "404 JSON, before",
    )
]

FAULTS = LOST + REPLACED + LASTING
KILLS = [
    Fault("killed before the request", killed, forwards=False),
    Fault("killed before the answer", killed, forwards=True),
]

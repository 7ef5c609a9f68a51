# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A reverse proxy between soup and a service, which injects one fault."""

import http.client
import socket
import struct
import threading
from dataclasses import dataclass, field


@dataclass
class Answer:
    """A response of the service."""

    status: int = 200
    reason: str = "OK"
    headers: list = field(default_factory=list)
    body: bytes = b""

    def head(self, *more):
        """Returns the head of the response; a later header replaces the service's own."""
        names = {name.lower() for name, _ in more}
        lines = [f"HTTP/1.1 {self.status} {self.reason}"]
        lines += [f"{name}: {value}" for name, value in self.headers if name.lower() not in names]
        return ("\r\n".join(lines + [f"{name}: {value}" for name, value in more]) + "\r\n\r\n").encode("latin-1")

    def bytes(self):
        length = [] if self.status == 204 else [("Content-Length", str(len(self.body)))]
        return self.head(*length) + self.body


@dataclass
class Exchange:
    """A request, the service's response to it (None if it was not forwarded), and the response before."""

    method: str
    path: str
    answer: Answer | None
    previous: Answer | None
    proxy: "Proxy"


class Proxy:
    """Forwards requests to a port, one after the other, and counts them."""

    def __init__(self, port):
        self.target = port
        self.lock = threading.RLock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.connections = set()
        self.disarm()
        self.listen()

    def listen(self):
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def arm(self, fault, number, kill=None):
        """Injects a fault at the request with a number, counted from 1; a lasting fault also at all later ones.

        kill: a function that ends the process of the client, for faults that call it.
        """
        self.disarm()
        with self.lock:
            self.fault, self.number, self.kill = fault, number, kill

    def disarm(self):
        """Ends the fault, and counts from 1 again."""
        with self.lock:
            self.fault, self.number, self.count, self.fired = None, 0, 0, 0
            self.kill, self.previous, self.journal = None, None, []
            if self.listener.fileno() < 0:
                self.listener = socket.create_server(("127.0.0.1", self.port))
                self.listen()

    def refuse(self):
        """Refuses connections from now on, until `disarm`."""
        with self.lock:
            # A thread that waits in accept() keeps a closed socket open.
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()

    def close(self):
        self.disarm()
        self.refuse()
        for connection in list(self.connections):
            connection.close()

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        self.connections.add(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection, connection.makefile("rb") as stream:
                while (request := self.read(stream)) and self.respond(connection, *request):
                    pass
        except OSError:
            pass  # The client has closed the connection, or was killed.
        finally:
            self.connections.discard(connection)

    @staticmethod
    def read(stream):
        line = stream.readline()
        if not line:
            return None
        method, path, _ = line.decode("latin-1").split(" ", 2)
        headers = http.client.parse_headers(stream)
        return method, path, headers, stream.read(int(headers.get("Content-Length", 0)))

    def respond(self, connection, method, path, headers, body):
        """Answers a request; returns whether the connection remains open."""
        with self.lock:
            self.count += 1
            fault = self.fault
            is_due = fault is not None and (self.count == self.number or fault.lasts and self.count > self.number)
            if not is_due or not fault.applies_to(method):
                answer = self.forward(method, path, headers, body)
                self.journal.append(f"{method} {path} {answer.status}")
                self.previous = answer
                connection.sendall(answer.bytes())
                return True
            self.fired += 1
            answer = self.forward(method, path, headers, body) if fault.forwards else None
            self.journal.append(f"{method} {path} {answer.status if answer else ''} [{fault.name}]")
            exchange = Exchange(method, path, answer, self.previous, self)
            self.previous = answer or self.previous
            data, end = fault.respond(exchange)
        connection.sendall(data)
        if end == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return end == "keep"

    def forward(self, method, path, headers, body):
        client = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
        own = {name: value for name, value in headers.items() if name.lower() != "connection"}
        client.request(method, path, body=body or None, headers={**own, "Connection": "close"})
        response = client.getresponse()
        data = response.read()
        client.close()
        hop = ("connection", "transfer-encoding", "content-length", "keep-alive")
        kept = [(name, value) for name, value in response.getheaders() if name.lower() not in hop]
        return Answer(response.status, response.reason, kept, data)

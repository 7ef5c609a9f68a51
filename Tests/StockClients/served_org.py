# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A local org that a process of soup serves over HTTPS during a test."""

import json
import os
import subprocess
import unittest

import requests
from requests.adapters import HTTPAdapter

#: The hosts at which clients log in, whatever their options are.
LOGIN_HOSTS = [f"https://{name}.salesforce.com" for name in ("login", "test", "my-own.my")]


class ServedOrg:
    def __init__(self):
        self.process = subprocess.Popen(
            [os.environ["SOUP"], "org", "serve", "--tls", "--http-port", "0", "--admin", "--seed", "tiny", "--json"],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"soup org serve ended with {self.process.wait()}")
        ready = json.loads(line)
        self.url = ready["url"]
        self.http_url = ready["httpUrl"]
        self.token = ready["accessToken"]
        self.certificate = ready["certificate"]

    def end(self):
        self.process.terminate()
        status = self.process.wait(timeout=30)
        self.process.stdout.close()
        return status

    def session(self):
        """Returns a session that trusts the org's certificate, and sends the requests for the login hosts to the org."""
        session = requests.Session()
        session.verify = self.certificate
        session.trust_env = False
        for host in LOGIN_HOSTS:
            session.mount(host, Redirected(self.url))
        return session

    def request(self, method, path, **options):
        answer = self.session().request(
            method, self.url + path, headers={"Authorization": f"Bearer {self.token}"}, **options
        )
        answer.raise_for_status()
        return answer.json()

    def reset(self, seed="tiny"):
        """Resets the org, and returns the IDs of the seed's keys."""
        for path in ["/_emu/faults"]:
            self.request("DELETE", path)
        self.request("POST", "/_emu/options", json={"strictGrants": False, "pageSizeMax": 2000})
        return self.request("POST", "/_emu/reset", json={"seed": seed})["keys"]

    def state(self, name):
        """Returns all rows of an object, including deleted ones."""
        return self.request("GET", f"/_emu/state/{name}")

    def rows(self, name):
        return [row for row in self.state(name) if not row["IsDeleted"]]

    def journal(self):
        return self.request("GET", "/_emu/journal")


class Redirected(HTTPAdapter):
    """Sends the requests for another host to the org."""

    def __init__(self, url):
        self.url = url
        super().__init__()

    def redirect(self, request):
        request.url = self.url + "/" + request.url.split("/", 3)[3]

    def send(self, request, **options):
        self.redirect(request)
        return super().send(request, **options)

    def get_connection_with_tls_context(self, request, verify, proxies=None, cert=None):
        self.redirect(request)
        return super().get_connection_with_tls_context(request, verify, proxies=proxies, cert=cert)


class OrgTestCase(unittest.TestCase):
    """Tests that share one org, which is reset before each of them."""

    seed = "tiny"
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.org = ServedOrg()

    @classmethod
    def tearDownClass(cls):
        status = cls.org.end()
        if status != 0:
            raise AssertionError(f"soup org serve ended with {status}")

    def setUp(self):
        self.keys = self.org.reset(self.seed)

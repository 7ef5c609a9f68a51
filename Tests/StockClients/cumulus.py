# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""A CumulusCI project in a temporary folder, and the datasets that it writes."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Project:
    def __init__(self, org):
        self.folder = Path(tempfile.mkdtemp(prefix="stock-clients-"))
        shutil.copytree(FOLDER / "cumulusci", self.folder, dirs_exist_ok=True)
        home = self.folder / "home"
        home.mkdir()
        self.environment = dict(
            os.environ,
            HOME=str(home),
            REQUESTS_CA_BUNDLE=org.certificate,
            CUMULUSCI_KEYCHAIN_CLASS="cumulusci.core.keychain.environment_project_keychain.EnvironmentProjectKeychain",
            CUMULUSCI_DISABLE_REFRESH="1",
            CUMULUSCI_AUTO_DETECT="0",
            CUMULUSCI_ORG_dev=json.dumps(
                {
                    "instance_url": org.url,
                    "access_token": org.token,
                    "id": f"{org.url}/id/00D000000000001EAA/005000000000001AAA",
                    "username": "demo@example.org",
                }
            ),
        )
        for command in [
            ["init", "--quiet"],
            ["remote", "add", "origin", "https://example.org/stock/clients.git"],
            ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "first"],
        ]:
            subprocess.run(["git", *command], cwd=self.folder, env=self.environment, check=True)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, task, **options):
        """Runs a task, and returns its output; if the task fails, the output is a part of the error."""
        arguments = [part for name, value in options.items() for part in ("-o", name, str(value))]
        command = [str(Path(sys.executable).parent / "cci"), "task", "run", task, "--org", "dev", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def text(self, name):
        return (self.folder / name).read_text()


def tables(sql):
    """Returns the rows of a dataset by table, without their IDs, and with names instead of references.

    The IDs are numbers in the order of the rows, so two equal datasets can number their rows differently.
    """
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    database.executescript(sql)
    names = [row["name"] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {name: [dict(row) for row in database.execute(f'SELECT * FROM "{name}"')] for name in names}
    names_by_id = {row["id"]: row.get("Name") or row.get("LastName") for table in rows.values() for row in table}
    return {
        name: sorted(
            (
                {
                    key: names_by_id[value] if key.endswith("Id") and value else value or ""
                    for key, value in row.items()
                    if key != "id"
                }
                for row in table
            ),
            key=lambda row: json.dumps(row, sort_keys=True),
        )
        for name, table in rows.items()
    }


def stored(org):
    """Returns the rows of an org, in the form of :func:`tables`."""
    accounts, contacts = org.rows("Account"), org.rows("Contact")
    names_by_id = {row["Id"]: row["Name"] for row in accounts}

    def table(rows, fields, reference):
        return sorted(
            (
                dict(
                    {field: row[field] if row[field] is not None else "" for field in fields},
                    **{reference: names_by_id.get(row[reference], "")},
                )
                for row in rows
            ),
            key=lambda row: json.dumps(row, sort_keys=True),
        )

    result = {
        "Account": table(accounts, ["Name", "Type", "AnnualRevenue", "BillingCity"], "ParentId"),
        "Contact": table(contacts, ["FirstName", "LastName", "Email", "Title"], "AccountId"),
    }
    for row in result["Account"]:
        # All values in a dataset are text.
        if row["AnnualRevenue"] != "":
            row["AnnualRevenue"] = str(float(row["AnnualRevenue"]))
    for rows in result.values():
        rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
    return result

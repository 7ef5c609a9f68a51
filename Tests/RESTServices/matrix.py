# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Commands that a fault interrupts at one of their requests, and the comparison of store and service afterwards."""

import concurrent.futures
import threading
import time

from proxy import Proxy
from service import Service
from store import Store, fields

#: The command of each stage. Every stage begins with the state that the commands of the stages before leave.
COMMANDS = {
    "first": ("sync", "down"),
    "up": ("sync", "up"),
    "down": ("sync", "down"),
    "ghosts": ("clean-ghosts", "down"),
}


class World:
    """A service, a proxy and a store, which are set back to the beginning of a stage for each fault."""

    def __init__(self, dialect):
        self.dialect = dialect
        self.service = Service(dialect)
        self.proxy = Proxy(self.service.port)
        self.store = Store(dialect, self.proxy.url)
        #: The methods of the requests and the seconds of each stage without a fault.
        self.requests, self.seconds = {}, {}
        #: The entries at the beginning of each stage.
        self.entries = {}
        self.report = ""
        try:
            self.prepare()
        except BaseException:
            self.close()
            raise

    def close(self):
        self.proxy.close()
        self.service.close()
        for stage in self.requests:
            self.store.forget(stage)
        self.store.close()

    @property
    def stages(self):
        return [stage for stage in COMMANDS if stage != "ghosts" or not self.dialect.reports_deletions]

    def prepare(self):
        """Runs all stages without faults, and keeps the state at the beginning of each."""
        for name in ["Ada", "Ben", "Cyd", "Dan", "Eve"]:
            self.service.add(name)
        self.store.soup("status")
        self.play("first")
        self.compare("first")
        self.change_both_sides()
        for stage in self.stages[1:]:
            self.play(stage)
        self.compare("ghosts")

    def play(self, stage):
        self.service.keep(stage)
        self.store.keep(stage)
        self.entries[stage] = self.store.entries()
        self.proxy.disarm()
        start = time.monotonic()
        self.store.soup(*COMMANDS[stage])
        self.seconds[stage] = time.monotonic() - start
        self.requests[stage] = [line.split()[0] for line in self.proxy.journal]

    def change_both_sides(self):
        store, service = self.store, self.service
        service.change(service.id("Dan"), name="Dan there")
        service.remove(service.id("Eve"))
        service.add("Gil")
        if self.dialect.mode == "MERGE":
            service.change(service.id("Ada"), city="Oslo")
        store.soup("edit", "contacts", store.entry("Ada"), "name=Ada here")
        store.soup("edit", "contacts", store.entry("Ben"), "city=Rom")
        store.soup("delete", "contacts", store.entry("Cyd"))
        for name in ("Fay", "Hal"):
            store.soup("create", "contacts", f"name={name}", "city=Rom")

    def expected(self, stage):
        """The names and cities of both sides at the end."""
        if stage == "first":
            return sorted((name, "Bern") for name in ["Ada", "Ben", "Cyd", "Dan", "Eve"])
        ada = ("Ada here", "Oslo" if self.dialect.mode == "MERGE" else "Bern")
        return sorted([ada, ("Ben", "Rom"), ("Dan there", "Bern"), ("Fay", "Rom"), ("Gil", "Bern"), ("Hal", "Rom")])

    # One fault.

    def run(self, stage, fault, number):
        """Runs the command of a stage with a fault, and then without; returns whether the fault occurred."""
        self.begin(stage)
        process = concurrent.futures.Future()
        self.proxy.arm(fault, number, kill=lambda: self.kill(process.result()))
        self.finish(stage, process)
        occurred = self.proxy.fired > 0
        self.recover(stage)
        return occurred

    def run_until(self, stage, seconds):
        """Kills the command of a stage after a time; returns whether it was still running."""
        self.begin(stage)
        process = concurrent.futures.Future()
        timer = threading.Timer(seconds, lambda: self.kill(process.result()))
        timer.start()
        code = self.finish(stage, process)
        timer.cancel()
        timer.join()
        self.recover(stage)
        return code < 0

    @staticmethod
    def kill(process):
        process.kill()
        process.wait()

    def begin(self, stage):
        self.proxy.disarm()
        self.service.restore(stage)
        self.store.restore(stage)

    def finish(self, stage, future):
        """Runs the command to its end, and checks the state that it leaves; returns the exit code."""
        process = self.store.start(*COMMANDS[stage])
        future.set_result(process)
        output, errors = process.communicate()
        self.report = f"{process.returncode} {output}{errors}"
        assert process.returncode in (0, 1, -9), f"soup ended with {self.report}"
        # The state is read without the proxy.
        self.check(self.entries[stage], self.store.entries(), self.service.records(), stage, process.returncode)
        return process.returncode

    def check(self, before, after, records, stage, code):
        """Checks that nothing is lost, doubled or removed, and that no change counts as pushed that is not."""
        for side in ([entry["name"] for entry in after], [record["name"] for record in records.values()]):
            assert len(side) == len(set(side)), f"doubled: {side}"
        left = {entry["_soupEntryId"]: entry for entry in after}
        for entry in before:
            now = left.get(entry["_soupEntryId"])
            if now is None:
                assert entry["id"] not in records, f"removed from the store only: {entry}"
            elif entry["__local__"] and not now["__local__"]:
                record = records.get(now["id"])
                assert record, f"clean without a record: {now}"
                shown = [(side["name"], side["city"]) for side in (now, record)]
                assert shown[0] == shown[1], f"clean, and not equal to the record: {shown}"
            elif entry["__local__"]:
                assert (now["name"], now["city"]) == (entry["name"], entry["city"]) or stage != "up" or (
                    self.dialect.mode == "MERGE"), f"edit lost: {now}"
        # An empty array is a list of such a service: the next run fetches its records.
        is_own_form = self.proxy.fault and self.proxy.fault.name.startswith("200 []") and "records" not in self.dialect.down
        if code == 0 and COMMANDS[stage] == ("sync", "down") and not is_own_form:
            known = {entry["id"]: entry for entry in after}
            for key, record in records.items():
                entry = known.get(key)
                assert entry and fields(entry) == record, f"a complete run without {record}: {entry}"

    def recover(self, stage):
        """Runs all commands without faults, resolves creations with an unknown outcome, and compares both sides."""
        self.proxy.disarm()
        process = self.store.start("sync", "up", "down")
        output, errors = process.communicate()
        if process.returncode != 0:
            self.resolve(f"the next run ended with {process.returncode} {output}{errors}")
            self.store.soup("sync", "up", "down")
        if not self.dialect.reports_deletions:
            self.store.soup("clean-ghosts", "down")
        self.compare(stage)

    def resolve(self, report):
        """Resolves creations with an unknown outcome as a user does; a run must have reported them."""
        unknown = self.store.soup("resolve")
        assert unknown and not self.dialect.recognizes_creations, f"{report}\nunknown: {unknown}"
        entries = {entry["_soupEntryId"]: entry["name"] for entry in self.store.entries()}
        keys = {record["name"]: key for key, record in self.service.records().items()}
        for line in unknown:
            found = keys.get(entries[line["entryId"]])
            answer = ["--resend"] if found is None else ["--created", str(found)]
            self.store.soup("resolve", "contacts", str(line["entryId"]), *answer)

    def compare(self, stage):
        """Compares all entries with all records, and both with the expected ones."""
        entries, records = self.store.entries(), self.service.records()
        dirty = [entry for entry in entries if entry["__local__"]]
        assert not dirty, f"dirty: {dirty}"
        left = {entry["id"]: fields(entry) for entry in entries}
        assert len(left) == len(entries), f"doubled: {entries}"
        assert left == records, f"store: {left}\nservice: {records}"
        found = sorted((record["name"], record["city"]) for record in records.values())
        assert found == self.expected(stage), f"found: {found}"


class Worlds:
    """A few worlds of one dialect, side by side: requests that are repeated wait most of the time."""

    def __init__(self, dialect, count):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            self.all = list(pool.map(lambda _: World(dialect), range(count)))

    def close(self):
        for world in self.all:
            world.close()

    def each(self, items, run):
        """Calls `run` with a world and each item; returns the results, and the messages of the failures, which it prints."""
        waiting = list(items)[::-1]
        results, failures = [], []

        def work(world):
            while waiting:
                try:
                    item = waiting.pop()
                except IndexError:
                    return
                try:
                    results.append((item, run(world, item)))
                except Exception as error:  # Every failure is reported with its place.
                    journal = "\n    ".join(world.proxy.journal[-30:])
                    place = ", ".join(str(getattr(part, "name", part)) for part in item)
                    failures.append(f"{place}: {error}\n  run: {world.report}\n  requests:\n    {journal}")
                    print(f"{type(world.dialect).__name__}: {failures[-1]}", flush=True)

        with concurrent.futures.ThreadPoolExecutor(len(self.all)) as pool:
            list(pool.map(work, self.all))
        return results, failures

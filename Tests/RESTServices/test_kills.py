# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Kills soup at every request, and at random moments; the next commands make store and service equal.

SOUPKIT_TORTURE=N is the number of random moments of all services, SOUPKIT_TORTURE_SEED=N their seed.
"""

import os
import random

import dialects
from faults import KILLS
from matrix import Worlds
from test_faults import INCLUDES_ALL, WORKERS

TORTURE = int(os.environ.get("SOUPKIT_TORTURE", "500" if INCLUDES_ALL else "35"))
SEED = int(os.environ.get("SOUPKIT_TORTURE_SEED", "20260101"))


class KillMatrix:
    dialect = None

    def setUp(self):
        self.worlds = Worlds(self.dialect, WORKERS)
        self.addCleanup(self.worlds.close)
        self.name = type(self.dialect).__name__

    def test_both_sides_are_equal_after_a_kill_at_a_request(self):
        cells = [
            (stage, fault, number)
            for stage, methods in self.worlds.all[0].requests.items()
            for number in range(1, len(methods) + 1)
            for fault in KILLS
        ]
        if not INCLUDES_ALL:
            # An odd step, so that the sample of each service has both kinds of kills.
            cells = cells[len(self.name) % 13 :: 13]
        results, failures = self.worlds.each(cells, lambda world, cell: world.run(*cell))
        print(f"{self.name}: {len(cells)} kills at requests, {len(failures)} failures", flush=True)
        self.assertEqual(len(failures), 0, "see the output")
        self.assertTrue(all(found for _, found in results))

    def test_both_sides_are_equal_after_a_kill_at_any_moment(self):
        source = random.Random(f"{SEED} {self.name}")
        seconds = self.worlds.all[0].seconds
        stages = list(seconds)
        share = max(1, TORTURE // len(dialects.ALL))
        moments = [(stage, source.random() * seconds[stage]) for stage in source.choices(stages, k=share)]
        results, failures = self.worlds.each(moments, lambda world, moment: world.run_until(*moment))
        killed = sum(1 for _, found in results if found)
        print(f"{self.name}: seed {SEED}, {len(moments)} runs, {killed} kills, {len(failures)} failures", flush=True)
        self.assertEqual(len(failures), 0, "see the output")
        self.assertGreater(killed, 0, "no command was running at its moment")


globals().update(dialects.test_cases(KillMatrix))

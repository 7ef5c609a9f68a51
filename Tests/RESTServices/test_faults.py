# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Every fault at every request of every sync with each service; afterwards store and service are equal.

By default, a sample: for each service, every tenth fault at one request of one sync. With SOUPKIT_MATRIX=all, all; with
SOUPKIT_FAULT=NAME, only the fault of that name.
"""

import os
import zlib

import dialects
from faults import FAULTS
from matrix import Worlds

FAULT = os.environ.get("SOUPKIT_FAULT")
INCLUDES_ALL = os.environ.get("SOUPKIT_MATRIX") == "all"
WORKERS = int(os.environ.get("SOUPKIT_WORKERS", "4" if INCLUDES_ALL else "2"))


class FaultMatrix:
    dialect = None

    def cells(self, requests):
        """Returns the stage, the fault and the number of the request of each cell."""
        if FAULT is not None:
            return [cell for cell in self.all_cells(requests, FAULTS) if cell[1].name == FAULT]
        faults = FAULTS if INCLUDES_ALL else FAULTS[dialects.ALL.index(self.dialect) % 10 :: 10]
        cells = self.all_cells(requests, faults)
        if INCLUDES_ALL:
            return cells
        sample = {}
        for cell in cells:
            stage, fault, number = cell
            text = f"{type(self.dialect).__name__} {fault.name} {stage} {number}"
            sample.setdefault(fault.name, []).append((zlib.crc32(text.encode()), len(sample), cell))
        return [min(found)[2] for found in sample.values()]

    @staticmethod
    def all_cells(requests, faults):
        return [
            (stage, fault, number)
            for fault in faults
            for stage, methods in requests.items()
            for number, method in enumerate(methods, 1)
            if fault.applies_to(method)
        ]

    def test_both_sides_are_equal_after_a_fault(self):
        worlds = Worlds(self.dialect, WORKERS)
        self.addCleanup(worlds.close)
        cells = self.cells(worlds.all[0].requests)
        results, failures = worlds.each(cells, lambda world, cell: world.run(*cell))
        occurred = sum(1 for _, found in results if found)
        print(f"{type(self.dialect).__name__}: {len(cells)} cells, {occurred} faults, {len(failures)} failures", flush=True)
        self.assertEqual(len(failures), 0, "see the output")
        self.assertEqual(occurred + len(failures), len(cells))


globals().update(dialects.test_cases(FaultMatrix))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every processor with AVX2 and FMA gives the same bytes: the runs of bits/ end with the stored hashes, at each level of
instructions that this machine has.

Where they change on purpose, TENON_REGENERATE_GOLDEN=1 ./test -R e2e.bits writes bits/hashes.txt anew."""

import hashlib
import json
import os
import platform
import unittest
from pathlib import Path

from runs import RunCase, machine_levels, records

MANIFESTS = Path(__file__).resolve().parent / "bits"
STORED = MANIFESTS / "hashes.txt"
HEAD = "# SHA-256 of the parameters and of the records but for time/ that each run leaves; written by ../bits_test.py.\n"


def levels():
    """Of the levels that fuse, those that this machine and the caller's TENON_LEVEL allow, best first."""
    found = machine_levels()
    cap = os.environ.get("TENON_LEVEL")
    return [] if cap == "base" else [level for level in found if cap != "avx2" or level == "avx2"]


def stored():
    lines = [line.split() for line in STORED.read_text().splitlines() if not line.startswith("#")]
    return {name: (parameters, metrics) for name, parameters, metrics in lines}


class Bits(RunCase):
    def hashes(self, name, level):
        out = self.folder / f"{name}_{level}"
        os.environ["TENON_LEVEL"] = level
        self.train(MANIFESTS / f"{name}.toml", "--out", out)
        parameters = (out / "checkpoints" / "last" / "parameters.safetensors").read_bytes()
        kept = [{key: value for key, value in record.items() if not key.startswith("time/")} for record in records(out)]
        self.assertGreater(len(kept), 2)
        self.assertGreater(kept[-1]["train/n_updates"], 20)
        return tuple(hashlib.sha256(what).hexdigest() for what in (parameters, json.dumps(kept).encode()))

    def setUp(self):
        super().setUp()
        before = os.environ.get("TENON_LEVEL")
        self.addCleanup(lambda: os.environ.pop("TENON_LEVEL", None) if before is None else os.environ.update(TENON_LEVEL=before))
        self.levels = levels()
        if not self.levels:
            reason = "this machine has no AVX2 with FMA, or TENON_LEVEL leaves it out"
            print(f"left out: {reason}")
            self.skipTest(reason)

    def test_runs_leave_the_stored_bytes_at_every_level(self):
        names = sorted(path.stem for path in MANIFESTS.glob("*.toml"))
        if os.environ.get("TENON_REGENERATE_GOLDEN"):
            STORED.write_text(HEAD + "".join(" ".join((name, *self.hashes(name, self.levels[-1]))) + "\n" for name in names))
        self.assertEqual(sorted(stored()), names)
        if len(self.levels) == 1:
            print(f"only {self.levels[0]} is compared: this machine or TENON_LEVEL has no other")
        for name in names:
            for level in self.levels:
                with self.subTest(run=name, level=level):
                    self.assertEqual(self.hashes(name, level), stored()[name],
                                     "the bytes are not the stored ones; functions of the C library go into them, here of "
                                     f"{' '.join(platform.libc_ver())}")  # fmt: skip

    def test_the_variable_takes_the_level_down(self):
        """The base level rounds differently, so that its bytes show which level ran."""
        self.assertNotEqual(self.hashes("dqn", "base"), stored()["dqn"])


if __name__ == "__main__":
    unittest.main()

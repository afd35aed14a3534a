#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tenon bench abi` measures, that it finds a plugin out which computes otherwise, and what is said where its program
is not there."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = Path(os.environ["TENON"]).resolve()
PROGRAM = TENON.parent / "tenon-bench-abi"
CLASSIC = TENON.parents[1] / "lib" / "tenon" / "plugins" / "classic.so"


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)


class BenchAbi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_row_has_its_figures(self):
        done = run(PROGRAM, "--seconds", "0.05", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([row["lanes"] for row in result["calls"]], [1, 8, 64, 1024])
        self.assertEqual([(row["env"], row["lanes"]) for row in result["isolated"]],
                         [(env, lanes) for env in ("classic/CartPole-v1", "busy/Busy-v0") for lanes in (64, 1024)])  # fmt: skip
        spreads = [row["inlined_ns"] for row in result["calls"]] + [row["here_ns"] for row in result["isolated"]]
        for way in [row[name] for row in result["calls"] for name in ("plugin", "host")] + [row["isolated"] for row in result["isolated"]]:
            spreads += [way["ns"], way["ratio"]]
            self.assertEqual(sorted(way["more_ns"]), way["more_ns"])
        for low, median, high in spreads:
            self.assertTrue(0 < low <= median <= high)
        self.assertEqual([(row["command"], row["plugin"]) for row in result["commands"]], [("inspect", "classic.so"), ("check", "classic.so")])
        self.assertLess(0, min(row["seconds"] for row in result["commands"]))

    def test_a_plugin_that_computes_otherwise_is_found_out(self):
        third, half = struct.pack("<d", 4 / 3), struct.pack("<d", 1.5)
        code = CLASSIC.read_bytes()
        self.assertIn(third, code)
        program, plugins = self.folder / "bin" / PROGRAM.name, self.folder / "lib" / "tenon" / "plugins"
        program.parent.mkdir()
        shutil.copy(PROGRAM, program)
        plugins.mkdir(parents=True)
        (plugins / CLASSIC.name).write_bytes(code.replace(third, half))
        done = run(program, "--seconds", "0.01")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("classic/CartPole-v1 as a plugin gives other bytes after 0 steps of 1 lane", done.stderr)

    def test_the_program_stands_beside_tenon_and_gets_its_words(self):
        tenon = self.folder / "tenon"
        shutil.copy(TENON, tenon)
        done = run(tenon, "bench", "abi")
        self.assertEqual(done.returncode, 4)
        self.assertIn(f"there is no tenon-bench-abi in {self.folder}", done.stderr)
        self.assertIn("ninja -C build/release tenon-bench-abi", done.stderr)

        (self.folder / "tenon-bench-abi").write_text('#!/bin/sh\necho "$@"\nexit 3\n')
        (self.folder / "tenon-bench-abi").chmod(0o755)
        done = run(tenon, "bench", "abi", "--json", "--seconds", "7")
        self.assertEqual((done.returncode, done.stdout), (3, "--seconds 7 --json\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()

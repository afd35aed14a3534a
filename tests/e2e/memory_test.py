#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Too little memory, before a run and in the middle of it: one sentence, exit code 4, and a run that goes on."""

import re
import resource
import subprocess
import unittest

from runs import FIXTURES, MIB, SANITIZED, TENON, RunCase, limit_memory

WALK = """
[run]
total_frames = 2_000

[env]
plugin = "faulty/Walk-v0"
lanes = 4
fault = "no_memory"

[policy.anything]
plugin = "faulty/act"

[checkpoint]
every_frames = 256
"""


@unittest.skipIf(SANITIZED, "sanitizers map terabytes")
class Memory(RunCase):
    def environment(self, die_at=None):
        return super().environment(die_at) | {"TENON_PLUGIN_PATH": str(FIXTURES)}

    def fails(self, *words, limit=None, **more):
        done = self.tenon("run", "--quiet", *words, code=4, **(limit_memory(limit) if limit else {}), **more)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        return done.stderr

    def test_a_buffer_larger_than_memory(self):
        text = self.fails(self.manifest, "--out", self.folder / "out", "--set", "buffer.capacity=16_000_000_000")
        self.assertRegex(text, "^error: the frames of 4000000001 steps of 4 lanes need [0-9]+.[0-9] GiB, but there are [0-9.]+ "
                         "GiB of memory\n --> --set #1:1:")
        self.assertIn("help: lower the buffer's capacity", text)
        self.assertFalse((self.folder / "out").exists())

    def test_a_buffer_larger_than_the_limit(self):
        text = self.fails(self.manifest, "--out", self.folder / "out", "--set", "buffer.capacity=200_000_000", limit=8192 * MIB)
        self.assertIn("cannot allocate ", text)
        self.assertIn("help: lower the buffer's capacity", text)
        self.assertFalse((self.folder / "out").exists())

    def test_too_little_for_libtorch(self):
        """It is not mapped, or one of its constructors gets no memory, and ends the process if nobody says otherwise."""
        words = [self.manifest, "--quiet", "--out", self.folder / "out", "--set", "run.total_frames=64", "--set", "run.executor=auto"]
        mapping = "error: the reference executor cannot be loaded: .*\nhelp: there is not enough memory to map it .*\n"
        said = set()
        for size in range(200, 600, 20):
            done = subprocess.run([TENON, "run", *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                                  env=self.environment(), **limit_memory(size * MIB))
            if done.returncode == 0:
                break
            self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
            # Which of them comes depends on what the size leaves for constructors.
            self.assertRegex(done.stderr, f"^({mapping}|error: (the reference executor, loading libtorch: )?there is not enough memory\n)$")
            self.assertFalse((self.folder / "out").exists())
            said.add(done.stderr)
        self.assertTrue(any(re.fullmatch(mapping, text) for text in said), said)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_compiled_programs_need_no_libtorch(self):
        """In memory into which it cannot be mapped a run trains, acts and evaluates, for nobody asks the reference executor."""
        words = [self.manifest, "--out", self.folder / "out", "--set", "run.total_frames=2_000"]
        self.tenon("run", "--quiet", *words, "--set", 'run.executor="compiled"', **limit_memory(200 * MIB))
        self.assertIn("cannot be loaded", self.fails(*words, "--set", 'run.executor="reference"', limit=200 * MIB))

    def test_too_little_for_the_threads(self):
        text = self.fails(self.manifest, "--out", self.folder / "out", "--set", "run.threads=1_000", limit=400 * MIB)
        self.assertRegex(text, r"^error: the system starts only \d+ of 1000 threads\n --> --set #1:1:13\n")
        self.assertFalse((self.folder / "out").exists())

    def test_a_plugin_that_gets_none(self):
        text = self.fails(self.put("walk.toml", WALK), "--out", self.folder / "out")
        self.assertIn("faulty/Walk-v0: all lanes are parked, so the run cannot continue; the last reason given is: an "
                      "allocation in the plugin failed (frame 396)", text)
        self.assertIn("help: the run is saved up to frame 256; ", text)

    def test_memory_that_is_used_up_in_the_middle_of_a_run(self):
        out = self.folder / "out"
        process = self.start("run", self.manifest, "--quiet", "--out", out, "--set", "run.total_frames=1_000_000_000",
                             "--set", "buffer.capacity=200_000")
        self.wait_for(process, self.has_records(out, 12))
        # From now on nothing more is mapped, and checkpoints grow with the buffer.
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MIB, resource.RLIM_INFINITY))
        output, errors = process.communicate(timeout=self.patience)
        self.assertEqual((process.returncode, output), (4, ""), errors)
        self.assertRegex(errors, "^error: there is (not enough memory|no room) ")
        self.assertEqual(errors.count("error: "), 1)
        last = self.last_frames(out)
        self.assertIn(f"the run is saved up to frame {last}; ", errors)
        result = self.train("--resume", out, "--set", f"run.total_frames={last + 500}")
        self.assertGreater(result["frames"], last)


if __name__ == "__main__":
    unittest.main()

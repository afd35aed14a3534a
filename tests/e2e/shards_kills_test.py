#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with --restarts whose processes die, or are stopped, at moments that differ each time: the bytes are those of a run
without a death, and no process is left. For .ci/long, which repeats it."""

import os
import random
import signal
import subprocess
import time
import unittest

from runs import PATIENCE, TENON, RunCase, wait_until
from shards_test import PPO, children_of, is_alive, shards_of

TRIES = 6
RESTARTS = 20


class ShardsKills(RunCase):
    def test_every_role_in_every_phase(self):
        draw = random.Random()
        self.put("ppo.toml", PPO)
        words = ["run", "ppo.toml", "--quiet", "--set", "run.total_frames=12288", "--set", "run.shards=4", "--restarts", RESTARTS, "--out"]
        began = time.monotonic()
        self.tenon(*words, "whole")
        took = time.monotonic() - began
        for number in range(TRIES):
            role = draw.choice(["first", "other", "other"])
            how = signal.SIGSTOP if draw.random() < 0.2 else signal.SIGKILL
            delays = [draw.uniform(0, took) for _ in range(draw.randint(1, 2))]
            with self.subTest(role=role, how=how.name, delays=delays):
                process = self.start(*words, f"killed-{number}")
                met = set()
                if how == signal.SIGSTOP:  # which takes ten seconds to be noticed
                    delays = delays[:1]
                for delay in delays:
                    time.sleep(delay)
                    first = children_of(process.pid) if process.poll() is None else []
                    others = [each for one in first for each in self.shards(one)]
                    met.update(first + others)
                    for victim in (first if role == "first" else draw.sample(others, 1) if others else []):
                        try:
                            os.kill(victim, how)
                        except ProcessLookupError:
                            pass  # it has ended
                _, said = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 0, said)
                self.assert_same_run(self.folder / "whole", self.folder / f"killed-{number}", events=False)
                wait_until(lambda: not any(map(is_alive, met)))

    def test_under_a_launcher_each_process_restarts_its_own_shard(self):
        draw = random.Random()
        self.put("ppo.toml", PPO)
        words = ["run", "ppo.toml", "--quiet", "--set", "run.total_frames=12288", "--restarts", "3", "--out"]
        self.tenon(*words, "whole")
        out = self.folder / "killed"
        variables = {**self.environment(), "MASTER_ADDR": str(self.folder / "meeting"), "WORLD_SIZE": "2"}
        started = [subprocess.Popen([TENON, *words, out], env={**variables, "RANK": str(rank)}, cwd=self.folder, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in (0, 1)]  # fmt: skip
        for process in started:
            self.addCleanup(process.kill)
        victim = draw.randrange(2)
        with self.subTest(victim=victim):
            self.wait_for(started[0], self.has_records(out, draw.randint(1, 12)))
            for child in children_of(started[victim].pid):
                os.kill(child, signal.SIGKILL)
            said = [process.communicate(timeout=PATIENCE)[1] for process in started]
            self.assertEqual([process.returncode for process in started], [0, 0], said)
            for who, end in ((victim, "was ended by SIGKILL"), (1 - victim, "ended by exit code 4")):
                self.assertRegex(said[who], rf"restart 1 of 3 (begins the run|continues the run in .*): its process {end}\n")
            self.assert_same_run(self.folder / "whole", out, events=False)

    def test_before_and_after_each_file_of_a_checkpoint(self):
        """Files of shard 1 while it writes them, and what shard 0 does when all are there. The next start goes on from the checkpoint
        before, or from this one if it was complete."""
        self.put("ppo.toml", PPO)
        words = ["run", "ppo.toml", "--quiet", "--set", "run.total_frames=3072", "--out"]
        self.tenon(*words, "whole")
        files = ["frames.safetensors", "optimiser.safetensors", "parameters.safetensors", "state.bin"]
        for number, (die_at, victim) in enumerate([
            *((f"write:*2048*/shard-1/{name}:1", 1) for name in files),
            *((f"fsync:*2048*/shard-1/{name}:1", 0) for name in files[:3]),
            *((f"write:*2048*[0-9]/{name}:1", 0) for name in files), ("write:*2048*/complete.json:1", 0), ("fsync:*2048*/complete.json:1", 0),
            ("rename:*/checkpoints/2048:1", 0), ("rename:*/checkpoints/last:2", 0),
        ]):  # fmt: skip
            with self.subTest(die_at):
                out = self.folder / f"killed-{number}"
                done = self.tenon(*words, out, code=4 if victim == 1 else -signal.SIGKILL, die_at=die_at)
                self.assertEqual(done.stderr.count("error: shard 1 of 2"), victim, done.stderr)
                self.tenon("run", "--resume", out, "--quiet")
                self.assert_same_run(self.folder / "whole", out, events=False)

    def test_a_stopped_shard_is_lost_after_two_heartbeats(self):
        """Whichever it is, no process is left. Shard 0 cannot say anything then; the others end it."""
        self.put("ppo.toml", PPO)
        runs = []
        for victim in (0, 1):
            process = self.start("run", "ppo.toml", "--quiet", "--out", f"stopped-{victim}", "--set", "run.total_frames=100000000")
            self.wait_for(process, self.has_records(self.folder / f"stopped-{victim}", 2))
            runs.append((process, [process.pid, *self.shards(process.pid)]))
        began = time.monotonic()
        for victim, (process, shards) in enumerate(runs):
            os.kill(shards[victim], signal.SIGSTOP)
        for victim, (process, shards) in enumerate(runs):
            with self.subTest(victim=victim):
                _, said = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, [-signal.SIGKILL, 4][victim], said)
                self.assertRegex(said, rf"error: shard {victim} of 2 \(.*, process {shards[victim]}\) ")
                self.assertEqual(said.count("error:"), 1, said)
                self.assertGreater(time.monotonic() - began, 4)
                wait_until(lambda left=shards: not any(map(is_alive, left)))

    def shards(self, process):
        try:
            return shards_of(process)
        except (FileNotFoundError, ProcessLookupError):
            return []


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose plugins live in processes of their own: the same bytes, and what happens when such a process ends."""

import json
import os
import signal
import time
import unittest
from pathlib import Path

from runs import SANITIZED, SMALL, RunCase, parameters, records, without_time

APART = ["--set", "plugins.isolation=process", "--set", "isolation.workers=2"]
TRANSFORMS = """
[[env.transforms]]
plugin = "standard/time_limit"
max_steps = 60

[[env.transforms]]
plugin = "standard/observation_norm"

[[env.transforms]]
plugin = "standard/frame_stack"
frames = 2
"""
RANDOM = """
[run]
total_frames = 4_000

[env]
plugin = "classic/Pendulum-v1"
lanes = 4

[[env.transforms]]
plugin = "standard/action_scale"

[policy.anything]
plugin = "random/random"

[log]
every_frames = 1_000

[eval]
every_frames = 2_000
episodes = 4

[checkpoint]
every_frames = 1_000
"""


def workers_of(process):
    """The processes that a run has begun, the oldest first."""
    found = []
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        try:
            found += [int(word) for word in (task / "children").read_text().split()]
        except FileNotFoundError:
            continue  # the thread has ended
    return sorted(found)


class Isolation(RunCase):
    def test_the_same_run_in_processes(self):
        for name, text in (("small", SMALL), ("transforms", SMALL + TRANSFORMS)):
            with self.subTest(name):
                manifest = self.put(f"{name}.toml", text)
                in_process, isolated = self.folder / f"{name}_here", self.folder / f"{name}_there"
                self.train(manifest, "--out", in_process)
                self.train(manifest, "--out", isolated, *APART)
                self.assertEqual(without_time(in_process), without_time(isolated))
                self.assertEqual(parameters(in_process), parameters(isolated))

    def test_a_procedure_in_a_process(self):
        for name, text in (("scaled", RANDOM),
                           ("drawn", RANDOM.replace("action_scale\"", "action_discretise\"\ntake = \"random\""))):
            with self.subTest(name):
                manifest = self.put(f"{name}.toml", text)
                in_process, isolated = self.folder / f"{name}_here", self.folder / f"{name}_there"
                self.train(manifest, "--out", in_process)
                self.train(manifest, "--out", isolated, *APART)
                self.assertEqual(without_time(in_process), without_time(isolated))

    def test_resumed_as_if_it_had_never_stopped(self):
        manifest = self.put("transforms.toml", SMALL + TRANSFORMS)
        self.same_in_halves(manifest, 5_000, *APART)

    def test_killed_in_training(self):
        self.survives_kills(self.manifest, 60_000, 5)

    def test_killed_inside_wrappers(self):
        """A frame of these is several steps of the env, and an episode begins with some: they are lost with the process."""
        wrapped = SMALL + """
[[env.wrappers]]
plugin = "wrap/frame_skip"
steps = 2
[[env.wrappers]]
plugin = "wrap/noop_reset"
most = 2
"""
        self.survives_kills(self.put("wrapped.toml", wrapped), 15_040, 0)

    def test_killed_with_several_tasks(self):
        self.survives_kills(self.put("tasks.toml", SMALL.replace("[policy.qvalue]", """
[[env.tasks]]
length = 0.3
[[env.tasks]]

[policy.qvalue]""")), 20_160, 0)

    def survives_kills(self, manifest, least, kills):
        out = self.folder / "out"
        process = self.start("run", manifest, "--out", out, "--json", *APART, "--set", "isolation.restarts=1000",
                             "--set", f"run.total_frames={least}")
        killed = 0
        self.wait_for(process, self.has_records(out, 2))
        before = []
        while process.poll() is None and killed < 10:
            now = workers_of(process)
            # One that ends while it is loaded ends the run, and under a sanitizer loading takes its time.
            if workers := [worker for worker in now if worker in before]:
                try:
                    os.kill(workers[killed % len(workers)], signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass  # of an evaluation that has ended
            before = now
            time.sleep(0.5 if SANITIZED else 0.05)
        output, errors = process.communicate(timeout=self.patience)
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(killed, min(kills, 1) if SANITIZED else kills)
        self.assertIn("its process was ended by SIGKILL in ", errors)
        self.assertIn("lost this step and begin new episodes (restart 1 of at most 1000)", errors)
        frames = [record["frames"] for record in records(out)]
        self.assertEqual(frames, sorted(set(frames)))
        last = -(-least // 64) * 64  # the batches of train.batch that it takes
        self.assertIn(f'"frames":{last}', output)
        self.assertEqual(frames[-1], last)

    def test_measured_in_processes(self):
        done = self.tenon("bench", "env", "classic/CartPole-v1", "--lanes", 16, "--workers", 2, "--json", "--seconds", "0.05")
        self.assertEqual(json.loads(done.stdout)["workers"], 2)

    def test_a_graph_has_no_process(self):
        done = self.tenon("run", self.manifest, "--set", "policy.qvalue.isolation=process", code=2)
        self.assertIn("mlp/q_value is a graph, which the host computes: it cannot run in a separate process", done.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shards that learn on devices which are linked: gradients go from device to device between the update's kernels and the step, with the
bytes of shards on CPUs. A library with the functions of NCCL links emulated devices by sockets, and says what it was asked for (fake_nccl.cpp).
What the host asks of GPUs is tested with a stand-in for the driver (fake_driver.c)."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from runs import TENON, RunCase, parameters, records, without_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from device_manifests import PPO, SAC, on_device  # noqa: E402
from long import LONG  # noqa: E402
from patience import PATIENCE, wait_until  # noqa: E402

DQN = """[run]
executor = "compiled"
total_frames = 1_200
shards = 2

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [16]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 1_200

[objective]
plugin = "dqn/dqn"

[train]
batch = 240
updates_per_batch = 4
minibatch = 48
start_frames = 240
clip_norm = 1.0

[log]
every_frames = 240
"""


NCCL = os.environ["FAKE_NCCL"]


class DeviceLinks(RunCase):
    def setUp(self):
        super().setUp()
        self.dqn = self.put("dqn.toml", DQN)

    def variables(self, nccl=NCCL, **more):
        return {**self.environment(), "TENON_NCCL": nccl, **more}

    def run_on(self, device, name, *words, code=0, **variables):
        """The folder of a run, and what it has said."""
        command = [TENON, "run", self.dqn, "--quiet", "--out", self.folder / name, "--set", f"run.device={device}", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=self.patience, env=self.variables(**variables), check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / name, done.stderr

    def with_gpus(self, name, *words, gpus=2, code=0, **more):
        """A run on stand-ins for GPUs."""
        return self.run_on("cuda", name, "--set", "run.jit=off", *words, code=code, LD_LIBRARY_PATH=os.environ["FAKE_DRIVER"],
                           FAKE_DEVICES=str(gpus), FAKE_NCCL_REPORT=str(self.folder / "nccl"), FAKE_REPORT=str(self.folder / "driver"), **more)

    def test_gradients_from_device_to_device_have_the_bytes_of_the_cpu(self):
        for shards in (2, 3, 4) if LONG else (2,):
            with self.subTest(shards=shards):
                sizes = [word for key, number in (("run.shards", shards), ("env.lanes", 4 * shards), ("train.minibatch", 24 * shards),
                                                  ("policy.qvalue.hidden", [64] if shards < 4 else [256, 256]))
                         for word in ("--set", f"{key}={number}")]  # fmt: skip
                on_cpu, said = self.run_on("cpu", f"cpu{shards}", *sizes)
                self.assertNotIn("gradients go", said)
                linked, said = self.run_on("emulated", f"linked{shards}", *sizes)
                self.assertNotIn("gradients go", said)
                by_host, said = self.run_on("emulated", f"host{shards}", *sizes, nccl="off")
                self.assertIn("gradients go through the host, not from device to device: shard 0 of", said)
                self.assertIn('TENON_NCCL is "off"', said)
                for other in (linked, by_host):
                    self.assertEqual(parameters(other), parameters(on_cpu))
                    self.assertEqual(without_time(other), without_time(on_cpu))

    @unittest.skipUnless(LONG, "DQN is enough for ./test; .ci/long runs PPO and SAC")
    def test_other_objectives(self):
        ppo = PPO.replace('"ppo/ppo"', '"ppo/ppo"\nnormalise_advantage = false').replace("batch = 250", "batch = 500").replace("lanes = 5", "lanes = 10")
        for name, text in (("ppo", ppo), ("sac", SAC.replace("lanes = 4", "lanes = 8").replace("batch = 4\n", "batch = 8\n"))):
            with self.subTest(name):
                self.dqn = self.put(f"{name}.toml", on_device(text, "shards = 2"))
                on_cpu, _ = self.run_on("cpu", f"{name}_cpu")
                linked, said = self.run_on("emulated", f"{name}_linked")
                self.assertNotIn("gradients go", said)
                self.assertEqual(parameters(linked), parameters(on_cpu))
                self.assertEqual(without_time(linked), without_time(on_cpu))

    def test_another_order_of_sums(self):
        """Two numbers have the same sum in any order, three have not."""
        exact, _ = self.run_on("emulated", "exact")
        free, _ = self.run_on("emulated", "free", "--set", "cluster.exact=false")
        self.assertEqual(parameters(free), parameters(exact))
        if LONG:
            three = ("--set", "run.shards=3", "--set", "env.lanes=12")
            exact, _ = self.run_on("emulated", "exact3", *three)
            free, _ = self.run_on("emulated", "free3", *three, "--set", "cluster.exact=false")
            self.assertNotEqual(parameters(free), parameters(exact))

    def begin(self, name, *words, **variables):
        """A long run that has made some updates, and its shard 1."""
        command = [TENON, "run", self.dqn, "--quiet", "--out", self.folder / name, "--set", "run.total_frames=100_000_000", *words]
        run = subprocess.Popen(command, env=self.variables(**variables), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(run.kill)
        wait_until(lambda: (self.folder / name / "metrics.jsonl").exists() and len(records(self.folder / name)) > 2)
        return run, int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()[0])

    def test_a_shard_that_is_stopped_ends_the_run_with_one_sentence(self):
        """It says nothing for two heartbeats of five seconds. On stand-ins for GPUs the other one waits for its stream. If shard 0 is stopped,
        shard 1 ends it and prints. All three at a time, because they only wait."""
        gpus = {"LD_LIBRARY_PATH": os.environ["FAKE_DRIVER"], "FAKE_DEVICES": "2"}
        runs = [self.begin("emulated", "--set", "run.device=emulated"),
                self.begin("gpus", "--set", "run.device=cuda", "--set", "run.jit=off", **gpus),
                self.begin("first", "--set", "run.device=emulated")]  # fmt: skip
        stopped = [1, 1, 0]
        began = time.monotonic()
        for (run, other), rank in zip(runs, stopped):
            os.kill((run.pid, other)[rank], signal.SIGSTOP)
        for (run, other), rank in zip(runs, stopped):
            said = run.communicate(timeout=PATIENCE)[1]
            # A warning that it has waited for 5 s may come before.
            self.assertRegex(said, rf"(?m)^error: shard {rank} of 2 \([^)]*process {(run.pid, other)[rank]}\) ")
            self.assertEqual(said.count("error:"), 1, said)
            self.assertEqual(run.returncode, 4 if rank == 1 else -signal.SIGKILL)
            wait_until(lambda: not Path(f"/proc/{other}").exists())
        self.assertLess(time.monotonic() - began, 60)  # 10 on cores without other work

    def test_a_shard_that_is_killed_ends_the_run_with_one_sentence(self):
        run, other = self.begin("killed", "--set", "run.device=emulated")
        os.kill(other, signal.SIGKILL)
        said = run.communicate(timeout=PATIENCE)[1]
        self.assertEqual(run.returncode, 4)
        self.assertRegex(said, rf"^error: shard 1 of 2 \([^)]*process {other}\) was ended by SIGKILL")

    def report(self, shard):
        """What a shard has asked of NCCL: groups of calls, sends, receives, sums, and how the link has ended."""
        *counts, end = (self.folder / f"nccl.{shard}").read_text().split(maxsplit=4)
        return [int(count) for count in counts], end.strip()

    def test_an_update_is_two_launches_and_a_group_of_calls(self):
        """Beside those of one process on one GPU: the host waits once a round more, because shards compare their parameters."""
        rounds = 5
        alone = ("--set", "run.shards=1", "--set", "env.lanes=4", "--set", "train.minibatch=24", "--set", "train.batch=120",
                 "--set", "run.total_frames=600", "--set", "train.start_frames=120")  # fmt: skip
        one, _ = self.with_gpus("one", *alone)
        launches, waits = map(int, (self.folder / "driver").read_text().split())
        two, said = self.with_gpus("two")
        self.assertNotIn("gradients go", said)
        updates = records(two)[-1]["train/n_updates"]
        self.assertEqual(records(one)[-1]["train/n_updates"], updates)
        for shard, path in ((0, "driver"), (1, "driver.1")):
            counts, end = self.report(shard)
            self.assertEqual((counts, end), ([updates, updates, updates, 0], "destroyed"))
            now = tuple(map(int, (self.folder / path).read_text().split()))
            self.assertLessEqual(now[0], launches + updates)
            self.assertLessEqual(now[1], waits + rounds)
        self.with_gpus("free", "--set", "cluster.exact=false")
        self.assertEqual(self.report(0), ([updates, 0, 0, updates], "destroyed"))

    def test_what_a_link_costs_an_update_is_measured_by_one_process(self):
        report = {"FAKE_NCCL_REPORT": str(self.folder / "nccl")}

        def bench(*words, code=0, **more):
            command = [TENON, "bench", "update", self.dqn, "--seconds", "0.01", "--json", "--set", "run.shards=1", *words]
            done = subprocess.run(command, capture_output=True, text=True, env=self.variables(**more, **report), check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            return json.loads(done.stdout) if code == 0 else done.stderr

        plain = bench("--set", "run.device=emulated")
        self.assertFalse((self.folder / "nccl.0").exists())
        linked = bench("--set", "run.device=emulated", "--linked")
        (groups, *transfers, sums), end = self.report(0)
        self.assertGreater(groups, 2)
        self.assertEqual((transfers, sums, end), ([0, 0], groups, "destroyed"))  # one sum of all gradients
        self.assertEqual((linked["name"], linked["works"]), (plain["name"], plain["works"]))
        self.assertGreater(linked["median_us"], 0)
        self.assertIn("--linked measures updates on a device, and these are computed on the CPU", bench("--linked", code=2))
        self.assertIn('TENON_NCCL is "off"', bench("--set", "run.device=emulated", "--linked", code=4, nccl="off"))

    def test_why_gradients_go_through_the_host(self):
        _, said = self.with_gpus("shared", gpus=1)
        self.assertRegex(said, r"gradients go through the host, not from device to device: shard 0 of 2 \(.*\) and shard 1 of 2 \(.*\) share a GPU, "
                               "and NCCL needs one for each")  # fmt: skip
        self.assertFalse((self.folder / "nccl.0").exists())
        _, said = self.with_gpus("none", nccl=str(self.folder / "libnccl.so.2"))
        self.assertRegex(said, rf"shard 0 of 2 \(.*\): there is no NCCL: {re.escape(str(self.folder))}/libnccl.so.2 cannot be loaded")

    def test_a_link_that_fails_ends_the_run_with_one_sentence(self):
        _, said = self.with_gpus("failed", code=4, FAKE_FAILS="3")
        self.assertRegex(said, r"error: (shard 1 of 2 \(.*\): )?NCCL cannot exchange the gradients of shard [01] of 2: another process has ended")
        self.assertIn("aborted", (self.report(0)[1], self.report(1)[1]))

    def test_explain_says_which_way_gradients_go(self):
        def told(*words, **variables):
            done = subprocess.run([TENON, "explain", self.dqn, *words], capture_output=True, text=True, env=self.variables(**variables), check=True)
            return done.stdout

        emulated = ("--set", "run.device=emulated")
        self.assertIn("They go from device to device, by NCCL 2.32.3 on the device's stream between the gradients and the step, and are added in "
                      "the order of the shards; if two shards share a GPU, they go through the host.", told(*emulated))  # fmt: skip
        self.assertIn("in the order that NCCL chooses (cluster.exact is false)", told(*emulated, "--set", "cluster.exact=false"))
        self.assertIn('They go through the host, where links between shards add them: TENON_NCCL is "off".', told(*emulated, nccl="off"))
        self.assertIn('train.on_not_finite is "leave_out", so only the host knows which minibatches count.',
                      told(*emulated, "--set", "train.on_not_finite=leave_out"))  # fmt: skip
        self.assertIn("TENON_NCCL names no library that links emulated devices.", told(*emulated, nccl=""))
        self.assertIn("by NCCL 2.32.3 on", told("--set", "run.device=cuda", "--set", "run.jit=off", LD_LIBRARY_PATH=os.environ["FAKE_DRIVER"]))

    def test_doctor_lists_nccl(self):
        for nccl, key, text in ((NCCL, "found", "NCCL 2.32.3"),
                                ("/nowhere/libnccl.so.2", "missing", "there is no NCCL: /nowhere/libnccl.so.2 cannot be loaded; install it "
                                 "(python3 -m pip install nvidia-nccl-cu13), and set TENON_NCCL to the file libnccl.so.2")):  # fmt: skip
            done = subprocess.run([TENON, "doctor", "--json"], capture_output=True, text=True, env=self.variables(nccl), check=False)
            parts = {part["name"]: part for part in json.loads(done.stdout)["parts"]}
            self.assertEqual(parts["NCCL"][key], text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bytes of four shards do not depend on where they are: started by one process, two on each of two machines, or each on its
own. A machine is a network namespace here; two of them are connected by a cable (veth) and the shards meet by TCP with a key, or none
has a network and they meet by a file. ./test has one objective, .ci/long all."""

import signal
import subprocess
import unittest
from pathlib import Path

from runs import MANIFESTS, PATIENCE, TENON, RunCase, parameters, wait_until, without_time
from shards_test import PPO

from long import LONG  # isort: skip
from machines import connected, permitted, unconnected  # isort: skip

BAD_CABLE = Path(__file__).resolve().parents[1] / "support/bad_cable.py"
SHARDS = ["--set", "run.shards=4", "--set", "run.executor='compiled'"]
NORM = 'env.transforms=[{plugin="standard/observation_norm"}]'
SHORT_PENDULUM = ["run.total_frames=240", "train.start_frames=120", "policy.qvalue.hidden=[16]", "policy.actor.hidden=[16]", "eval.every_frames=120"]
OBJECTIVES = {
    "PPO by minibatch, value normalisation, observation_norm": ("ppo", [NORM]),
    "PPO by batch": ("ppo", ["objective.normalise_over='batch'", "objective.value_normalisation='none'"]),
    "DQN with priorities": ("dqn", ["buffer.plugin='replay/prioritised'", "run.total_frames=2000"]),
    "SAC": ("sac_pendulum", SHORT_PENDULUM),
    "CrossQ": ("crossq_pendulum", SHORT_PENDULUM),
    "PPO with a GRU": ("ppo_gru_cartpole", ["run.total_frames=4096", "eval.every_frames=2048", "train.epochs=2"]),
}


@unittest.skipUnless(permitted(), "this machine does not permit network namespaces")
class ShardsPlaced(RunCase):
    def setUp(self):
        super().setUp()
        self.put("ppo.toml", PPO)

    def manifest_of(self, name):
        return {"ppo": self.folder / "ppo.toml", "dqn": self.manifest}.get(name, MANIFESTS / f"{name}.toml")

    def machines(self):
        return connected(self, "10.77.0")

    def launched(self, places, variables, *words):
        """Starts a shard at each place."""
        started = self.started(places, variables, *words)
        said = [process.communicate(timeout=PATIENCE)[1] for process in started]
        self.assertEqual([process.returncode for process in started], [0] * len(places), said)

    def started(self, places, variables, *words, ranks=None):
        started = []
        for rank, place in zip(ranks or range(len(places)), places):
            environment = {**self.environment(), **variables, "RANK": str(rank), "WORLD_SIZE": str(len(places))}
            started.append(subprocess.Popen([*place, TENON, "run", "--quiet", *words], env=environment, cwd=self.folder, text=True,
                                            stderr=subprocess.PIPE, stdout=subprocess.PIPE))  # fmt: skip
            self.addCleanup(started[-1].kill)
        return started

    def placements(self):
        """What stands before the command of each shard, and the variables of all."""
        out = {"1 + 1 + 1 + 1": ([["unshare", "-n"]] * 4, {"MASTER_ADDR": str(self.folder / "meeting")})}
        machines = self.machines()
        if machines is None:
            print("left out: two machines with a cable, because this machine has no veth or no `ip`")
            return out
        first, second = machines
        return {"2 + 2": ([first, first, second, second], {"MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29500", "TENON_KEY": "a key"}), **out}

    def assert_same(self, first, second, name):
        self.assertEqual(parameters(first), parameters(second), name)
        self.assertEqual(without_time(first), without_time(second), name)
        for rank in (1, 2, 3):
            self.assertEqual((first / f"checkpoints/last/shard-{rank}/parameters.safetensors").read_bytes(), parameters(first), name)

    def test_any_placement_has_the_same_bytes(self):
        placements = self.placements()
        for number, (name, (manifest, sets)) in enumerate(OBJECTIVES.items()):
            if number > 0 and not LONG:
                break
            words = [*SHARDS, *(word for each in sets for word in ("--set", each))]
            together = self.folder / f"together {number}"
            self.train(self.manifest_of(manifest), "--out", together, *words)
            for place, (before, variables) in placements.items():
                with self.subTest(name, place=place):
                    out = self.folder / f"{place} {number}"
                    self.launched(before, variables, self.manifest_of(manifest), "--out", out, *words)
                    self.assert_same(together, out, name)
                if not LONG:
                    break

    def test_mistakes_of_two_machines(self):
        machines = self.machines()
        if machines is None:
            self.skipTest("this machine has no veth or no `ip`")
        where = {"MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29500", "TENON_KEY": "a key", "TENON_WAIT": "60"}
        ppo = self.folder / "ppo.toml"
        with self.subTest("both are shard 0"):
            started = self.started(machines, where, ppo, "--out", self.folder / "out", ranks=[0, 0])
            said = [process.communicate(timeout=PATIENCE)[1] for process in started]
            self.assertEqual([process.returncode for process in started], [2, 2], said)
            for text in said:
                self.assertRegex(text, r"error: two processes are shard 0 of 2: .*, process \d+, and .*, process \d+")
        with self.subTest("another key"):
            keys = [["env", "TENON_KEY=a key"], ["env", "TENON_KEY=another"]]
            started = self.started([[*a, *b] for a, b in zip(machines, keys)], {**where, "TENON_WAIT": "2"}, ppo, "--out", self.folder / "out")
            said = [process.communicate(timeout=PATIENCE)[1] for process in started]
            self.assertEqual([process.returncode for process in started], [4, 4], said)
            for text, side in zip(said, ("who has come", "who waits there")):
                self.assertEqual(text.count("warning: at tcp://10.77.0.1:29500 "), 1, text)
                self.assertIn(f" is refused: {side} has another TENON_KEY, or is no shard", text)
                self.assertIn("\nhelp: start all shards with the same MASTER_ADDR, MASTER_PORT and TENON_KEY", text)

    @unittest.skipUnless(LONG, ".ci/long has it")
    def test_a_bad_cable(self):
        """Packets that come late or are lost change no byte. When it is cut, both shards end with a sentence, after the heartbeat's limit."""
        holders = unconnected(self)
        cable = subprocess.Popen([BAD_CABLE, holders[0][2], holders[1][2], "0.002", "0.01"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(cable.stdout.close)
        self.addCleanup(cable.wait)
        self.addCleanup(cable.kill)
        if cable.stdout.readline() != "ready\n":
            self.skipTest("this machine permits no tun device")
        where = {"MASTER_ADDR": "10.78.0.1", "MASTER_PORT": "29500", "TENON_KEY": "a key"}
        words = ["--set", "run.total_frames=2048", "--set", "train.epochs=1"]
        together = self.folder / "together"
        self.train(self.folder / "ppo.toml", "--out", together, *words)
        self.launched(holders, where, self.folder / "ppo.toml", "--out", self.folder / "apart", *words)
        self.assertEqual(parameters(together), parameters(self.folder / "apart"))
        self.assertEqual(without_time(together), without_time(self.folder / "apart"))
        out = self.folder / "cut"
        started = self.started(holders, where, self.folder / "ppo.toml", "--out", out, "--set", "run.total_frames=100000000")
        self.wait_for(started[0], self.has_records(out, 2))
        cable.send_signal(signal.SIGUSR1)
        said = [process.communicate(timeout=PATIENCE)[1] for process in started]
        self.assertEqual([process.returncode for process in started], [4, 4], said)
        for rank, text in enumerate(said):
            self.assertRegex(text, rf"error: shard {1 - rank} of 2 \(.*\) has ended or cannot be reached any more")

    @unittest.skipUnless(LONG, ".ci/long has it")
    def test_a_stopped_run_goes_on_in_another_placement(self):
        words = [*SHARDS, "--set", NORM]
        whole, half = self.folder / "whole", self.folder / "half"
        self.train(self.folder / "ppo.toml", "--out", whole, *words)
        process = self.start("run", "ppo.toml", "--quiet", "--out", half, *words)
        self.wait_for(process, self.has_records(half, 2))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        for number, (before, variables) in enumerate(self.placements().values()):
            end = ["--set", "run.total_frames=3072"] if number == 0 else ["--set", "run.total_frames=4096"]
            self.launched(before, variables, "--resume", half, *end)
        self.assertEqual(parameters(whole), parameters(half))


if __name__ == "__main__":
    unittest.main()

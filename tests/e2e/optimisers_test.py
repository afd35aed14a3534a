#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Optimisers and schedules in whole runs: a run that was killed goes on as if it had not been, whatever they remember."""

import json
import struct
import unittest

from runs import RunCase


def settings(*values):
    return [word for value in values for word in ("--set", value)]


LR = 'schedule."optimiser.lr"=[{ from = 0.0, to = 3e-3, frames = 2000 }, { kind = "cosine", to = 1e-4 }]'
RMSPROP = settings('optimiser.update.kind="rmsprop"', "optimiser.update.centered=true", "optimiser.update.momentum=0.5",
                   "optimiser.update.weight_decay=1e-3", LR)  # fmt: skip
SGD = settings('optimiser.kind="sgd"', 'schedule."optimiser.momentum"={ from = 0.0, to = 0.9, updates = 300 }',
               'schedule."optimiser.lr"={ kind = "step", factor = 0.5, every = 2500 }')  # fmt: skip
ADAMW = settings('optimiser.kind="adamw"', "optimiser.weight_decay=0.1", 'target.kind="soft"', "target.every=1",
                 'schedule."target.tau"={ kind = "exponential", from = 0.1, to = 1e-3 }')  # fmt: skip
LAMB = settings('optimiser.kind="lamb"', "optimiser.lr=1e-2")


def tensors(file):
    """The names of the tensors in a safetensors file."""
    data = file.read_bytes()
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    return {name for name in header if name != "__metadata__"}


class Optimisers(RunCase):
    SHARED = {"rmsprop": RMSPROP, "sgd": SGD, "adamw": ADAMW, "lamb": LAMB}

    def test_a_killed_run_goes_on(self):
        for name, words in self.SHARED.items():
            with self.subTest(name):
                out = self.folder / name
                self.killed(out, "write:*/state.bin:4", *words)
                self.train("--resume", out)
                self.assert_same_run(self.shared / name, out)

    def test_the_checkpoint_holds_what_each_remembers(self):
        remembered = {
            "rmsprop": {"square_avg", "grad_avg", "momentum_buffer"},
            "sgd": {"momentum_buffer"},
            "adamw": {"exp_avg", "exp_avg_sq"},
            "lamb": {"exp_avg", "exp_avg_sq"},
        }
        for name, names in remembered.items():
            last = self.shared / name / "checkpoints" / "last"
            parameters = tensors(last / "parameters.safetensors")
            self.assertEqual(tensors(last / "optimiser.safetensors"), {f"{p}/{n}" for p in parameters for n in names})

    def test_the_written_manifest_runs_the_same_run(self):
        whole, out = self.shared / "rmsprop", self.folder / "again"
        self.train(whole / "manifest.lock.toml", "--out", out)
        self.assert_same_run(whole, out)

    def records(self, name, key):
        lines = (self.shared / name / "metrics.jsonl").read_text().splitlines()
        return [(record["frames"], record[key]) for record in map(json.loads, lines)]

    def test_what_moves_is_recorded(self):
        warm = dict(self.records("rmsprop", "train/learning_rate"))
        for frames, rate in warm.items():
            if frames < 2000:
                self.assertAlmostEqual(rate, 3e-3 * frames / 2000, delta=1e-12)
            else:
                self.assertLessEqual(rate, 3e-3)
        self.assertAlmostEqual(warm[max(warm)], 1e-4, delta=1e-6)
        for frames, rate in self.records("sgd", "train/learning_rate"):
            self.assertAlmostEqual(rate, 3e-3 * 0.5 ** min(frames // 2500, 4), delta=1e-12)
        momenta = [momentum for _, momentum in self.records("sgd", "schedule/optimiser.momentum")]
        self.assertEqual((momenta[0], momenta[-1]), (0, 0.9))
        self.assertEqual(momenta, sorted(momenta))
        taus = [tau for _, tau in self.records("adamw", "schedule/target.tau")]
        self.assertEqual(taus, sorted(taus, reverse=True))


if __name__ == "__main__":
    unittest.main()

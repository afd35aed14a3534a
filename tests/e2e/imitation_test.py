#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests that imitate demonstrations: valid, the same on both executors until rounding parts them, resumed as if they had
never stopped, and after a short training they take more than one way, which a clone never does."""

import json
import unittest

from runs import MANIFESTS, RunCase, records

OFFLINE = MANIFESTS / "offline"
SHORT = ["policy.actor.hidden=[16]", "train.total_updates=60", "eval.every_updates=20", "eval.episodes=4", "log.every_updates=10",
         "checkpoint.every_updates=20"]


class Imitation(RunCase):
    def setUp(self):
        super().setUp()
        self.tenon("record", OFFLINE / "demonstrations" / "fork.toml", "--frames", 1_000, "--out", self.folder / "fork.frames")

    def words(self, *keys):
        return [word for key in (f'buffer.init="{self.folder / "fork.frames"}"', *keys) for word in ("--set", key)]

    def test_the_executors_agree(self):
        for name in ("act_fork", "diffusion_fork"):
            words = self.words(*SHORT, "run.dtype=float64")
            left, right = (self.folder / f"{name}-{executor}" for executor in ("compiled", "reference"))
            for out, executor in ((left, "compiled"), (right, "reference")):
                self.train(OFFLINE / f"{name}.toml", "--out", out, *words, "--set", f"run.executor={executor}")
            compared = 0
            for one, other in zip(records(left), records(right), strict=True):
                for key in ("train/loss", "train/grad_norm/update", "eval/mean_reward"):
                    if one.get(key) is not None:
                        self.assertAlmostEqual(one[key], other[key], delta=1e-9 * max(1, abs(one[key])), msg=f"{name} {key}")
                        compared += 1
            self.assertGreater(compared, 10)

    def test_a_resumed_run_is_one_that_never_stopped(self):
        for name in ("act_fork", "diffusion_fork"):
            with self.subTest(name):
                words = self.words(*SHORT, "run.executor=compiled")
                manifest, whole, left = OFFLINE / f"{name}.toml", self.folder / f"{name}-whole", self.folder / f"{name}-left"
                self.assertEqual(self.tenon("validate", manifest, *words).stderr, "")
                self.assertEqual(self.train(manifest, "--out", whole, *words)["updates"], 60)
                self.assertEqual(self.train(manifest, "--out", left, *words, "--leave-at-updates", 40)["updates"], 40)
                self.train("--resume", left)
                self.assert_same_run(whole, left, events=False)  # their steps are updates

    def returned(self, name, *keys, actions="sample"):
        out = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        words = self.words("train.total_updates=1_500", "eval.every_updates=0", "run.executor=compiled", *keys)
        self.train(OFFLINE / f"{name}.toml", "--out", out, *words)
        done = self.tenon("eval", out, "--checkpoint", "last", "--episodes", 100, "--actions", actions, "--json")
        return json.loads(done.stdout)["return_mean"]

    def test_latents_and_noise_find_ways_that_clones_do_not(self):
        self.assertGreater(self.returned("act_fork"), 0.3)
        self.assertGreater(self.returned("diffusion_fork"), 0.3)
        for loss in ("l1", "l2"):
            self.assertEqual(self.returned("act_fork", "policy.actor.latent_size=0", f"objective.loss={loss}"), 0)


if __name__ == "__main__":
    unittest.main()

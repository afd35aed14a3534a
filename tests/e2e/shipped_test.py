#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manifests of several agents, objectives and buffers, of stand-ins, of imagination and planning, as they are shipped but for their
lengths: valid, explained, and left in the middle and resumed the same run to the byte."""

import json
import unittest

from runs import MANIFESTS, RunCase

# Frames of each run, and of the half after which it is left; keys that make a run of so few frames learn and be evaluated.
BRIEF = {
    "qmix_two_step": (800, 400, ["eval.every_frames=400"]),
    "vdn_two_step": (800, 400, ["eval.every_frames=400"]),
    "ippo_spread": (6_400, 3_200, ["eval.every_frames=3_200", "eval.episodes=4"]),
    "mappo_balance": (3_200, 1_600, ["env.lanes=8", "train.batch=1_600", "train.epochs=2", "eval.every_frames=1_600", "eval.episodes=2"]),
    "masac_balance": (2_400, 1_200, ["train.start_frames=400", "eval.every_frames=1_200", "eval.episodes=2"]),
    "qmix_speaker": (3_200, 1_600, ["train.start_frames=800", "eval.every_frames=1_600", "eval.episodes=4"]),
    "zero_connect_four": (768, 384, ["train.batch=128", "train.minibatch=64", "policy.search.simulations=4", "eval.every_frames=384", "eval.episodes=2"]),
    "hunt": (6_400, 3_200, ["eval.every_frames=3_200", "eval.episodes=4"]),
    "gail_pendulum": (1_024, 512, ["train.batch=256", "objective.1.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "airl_pendulum": (1_024, 512, ["train.batch=256", "objective.1.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "dagger_pendulum": (1_200, 600, ["eval.every_frames=600", "eval.episodes=2"]),
    "pets_pendulum": (900, 450, ["train.start_frames=200", "policy.actor.horizon=4", "policy.actor.candidates=8", "policy.model.hidden=[16]",
                                 "eval.every_frames=450", "eval.episodes=1"]),
    "model_pendulum": (900, 450, ["train.start_frames=200", "policy.model.hidden=[16]", "checkpoint.every_frames=450"]),
    "ppo_imagined_pendulum": (1_024, 512, ["train.batch=256", "train.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "trpo_pendulum": (1_024, 512, ["train.batch=256", "train.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "grpo_sort": (192, 96, ["eval.every_frames=96", "eval.episodes=4"]),
    "sft_sort": (1_280, 640, ["eval.every_frames=640", "eval.episodes=4"]),
    "ppo_guess": (1_024, 512, ["eval.every_frames=512", "eval.episodes=4"]),
    "ppo_sort": (256, 128, ["eval.every_frames=128", "eval.episodes=4"]),
    "expert_sort": (192, 96, ["eval.every_frames=96", "eval.episodes=4"]),
    "distil_sort": (1_280, 640, ["eval.every_frames=640", "eval.episodes=4"]),
    "judge_sort": (512, 256, ["checkpoint.every_frames=256"]),
    "ppo_transformer_tmaze": (2_048, 1_024, ["eval.every_frames=1_024", "eval.episodes=4", "env.max_episode_steps=50"]),
    "r2d2_transformer_tmaze": (2_048, 1_024, ["env.max_episode_steps=50", "buffer.capacity=800", "train.start_frames=256",
                                              "train.updates_per_batch=2", "eval.every_frames=1_024", "eval.episodes=4"]),
    "her_bitflip": (1_600, 960, ["train.start_frames=320", "eval.every_frames=800", "eval.episodes=4"]),
    "rnd_deep_sea": (1_024, 512, ["train.batch=256", "objective.1.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "icm_deep_sea": (1_024, 512, ["train.batch=256", "objective.1.epochs=2", "eval.every_frames=512", "eval.episodes=2"]),
    "go_back_deep_sea": (1_600, 800, ["train.start_frames=320", "eval.every_frames=800", "eval.episodes=2"]),
    "offline_to_online_pendulum": (600, 300, ["eval.every_frames=300", "eval.episodes=2"]),
    "dream_pendulum": (880, 440, ["train.start_frames=160", "train.minibatch=64", "objective.horizon=3", "eval.every_frames=440", "eval.episodes=2"]),
    "dreamer_v3_reach": (880, 440, ["train.start_frames=160", "train.minibatch=64", "objective.horizon=3", "policy.world.hidden=16",
                                    "policy.world.memory_size=16", "eval.every_frames=440", "eval.episodes=2"]),
    "dreamer_v3_reach_pictures": (880, 440, ["train.start_frames=160", "train.minibatch=64", "objective.horizon=3", "policy.world.hidden=16",
                                             "policy.world.memory_size=16", "eval.every_frames=440", "eval.episodes=2"]),
    "tdmpc2_pendulum": (600, 300, ["train.start_frames=250", "train.minibatch=24", "train.batch=10", "policy.planner.candidates=8", "policy.planner.elites=4",
                                   "policy.planner.paths=2", "policy.world.hidden=16", "eval.every_frames=300", "eval.episodes=1"]),
}
FRAMES = {"gail_pendulum": "buffer.expert.init", "airl_pendulum": "buffer.expert.init", "offline_to_online_pendulum": "buffer.offline.init"}

# Their policies that a run before trains, whose weights a user names by `init`.
GIVEN = {"dagger_pendulum": "expert", "distil_sort": "teacher", "ppo_imagined_pendulum": "model"}


class Shipped(RunCase):
    def words(self, name):
        frames, half, keys = BRIEF[name]
        keys = [*keys, f"run.total_frames={frames}", "run.executor=compiled", "log.every_frames=100"]
        if name in FRAMES:
            self.tenon("record", MANIFESTS / "sac_pendulum.toml", "--actions", "random", "--frames", 600, "--out", "recorded.frames")
            keys.append(f"{FRAMES[name]}=recorded.frames")
        return half, [word for key in keys for word in ("--set", key)]

    def check(self, name):
        manifest = MANIFESTS / f"{name}.toml"
        half, words = self.words(name)
        warned = [line for line in self.tenon("validate", manifest, *words).stderr.splitlines() if line.startswith("warning: ")]
        begins = "keeps the random weights that it begins with"
        self.assertEqual([line.split(begins)[0] for line in warned], [f"warning: [policy.{GIVEN[name]}] "] if name in GIVEN else [])
        told = json.loads(self.tenon("explain", manifest, *words, "--json").stdout)
        self.assertGreater(len(told["networks"]), 0)
        whole, left = self.folder / "whole", self.folder / "left"
        result = self.train(manifest, "--out", whole, *words)
        self.assertGreater(result["updates"], 0)
        stopped = self.train(manifest, "--out", left, *words, "--leave-at-frames", half)
        self.assertLess(stopped["frames"], result["frames"])
        self.assertGreater(stopped["updates"], 0)
        self.assertGreater(result["updates"], stopped["updates"])
        self.train("--resume", left)
        self.assert_same_run(whole, left)


for each in BRIEF:
    setattr(Shipped, f"test_{each}", lambda self, name=each: self.check(name))


if __name__ == "__main__":
    unittest.main()

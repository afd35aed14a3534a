#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Policies that predict chunks act as this file computes it from their weights: by temporal ensembling over all chunks that
reach a step, by plans, and by taking the noise out of a chunk in the steps of DDPM (as TorchRL's DiffusionActor has them)
and of DDIM."""

import json
import math
import shutil
import struct
import unittest

import numpy as np
from runs import RunCase

CHUNK, BOUND, LATENT = 4, 2, 3
MANIFEST = """[run]
total_frames = 32
dtype = "float64"

[env]
plugin = "classic/Pendulum-v1"
max_episode_steps = 9
lanes = 2

[policy.actor]
plugin = "chunks/{kind}"
chunk = 4
hidden = [8, 8]
"""


def safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    kinds = {"F32": np.float32, "F64": np.float64, "BOOL": np.bool_, "I64": np.int64}
    return {name: np.frombuffer(data[8 + size:], kinds[entry["dtype"]], (entry["data_offsets"][1] - entry["data_offsets"][0]) // np.dtype(
        kinds[entry["dtype"]]).itemsize, entry["data_offsets"][0]).reshape(entry["shape"])
        for name, entry in header.items() if name != "__metadata__"}


def through(weights, name, x):
    layer = 0
    while f"actor/{name}.{layer}.weight" in weights:
        x = weights[f"actor/{name}.{layer}.weight"] @ (np.maximum(x, 0) if layer else x) + weights[f"actor/{name}.{layer}.bias"]
        layer += 1
    return x


class Chunks(RunCase):
    def acted(self, kind, *options):
        """The network's weights, and the observations and actions of each episode, by `mode` actions."""
        manifest = self.folder / f"{kind}.toml"
        manifest.write_text(MANIFEST.format(kind=kind) + "".join(f"{option}\n" for option in options))
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        self.train(manifest, "--out", self.folder / "run")
        self.tenon("export", self.folder / "run", "--format", "safetensors", "--out", self.folder / "w.safetensors")
        self.tenon("record", self.folder / "run", "--actions", "mode", "--frames", 60, "--out", self.folder / "f.frames")
        frames = safetensors(self.folder / "f.frames")
        episodes = []
        for lane in range(2):
            starts = [*np.flatnonzero(frames["is_init"][:-1, lane]), len(frames["action"]) - 1]
            episodes += [(frames["observation"][a:b, lane].astype(float), frames["action"][a:b, lane, 0]) for a, b in zip(starts, starts[1:])]
        self.assertGreater(len(episodes), 3)
        return safetensors(self.folder / "w.safetensors"), episodes

    def compare(self, episodes, predicted, play):
        """`predicted` gives the chunk of an observation, `play` the actions of all of an episode's chunks."""
        for observations, actions in episodes:
            wanted = play([predicted(observation) for observation in observations])
            np.testing.assert_allclose(actions, np.array(wanted), atol=1e-6)  # actions are float32

    def cvae(self, play, *options):
        weights, episodes = self.acted("cvae", f"latent_size = {LATENT}", *options)

        def predicted(observation):
            out = through(weights, "decoder", np.concatenate([observation, np.zeros(LATENT)]))
            return BOUND * np.tanh(out)

        self.compare(episodes, predicted, play)

    def test_temporal_ensembling_is_the_weighted_mean_of_all_chunks(self):
        def play(chunks):
            for t in range(len(chunks)):
                reach = [chunks[s][t - s] for s in range(max(0, t - CHUNK + 1), t + 1)]  # the oldest first
                weights = np.exp(-0.5 * np.arange(len(reach)))
                yield weights @ reach / weights.sum()

        self.cvae(lambda chunks: list(play(chunks)), "ensemble_decay = 0.5")

    def test_a_plan_is_played_before_the_next(self):
        for played in (4, 3):
            with self.subTest(played):
                self.cvae(lambda chunks: [chunks[t - t % played][t % played] for t in range(len(chunks))], 'play = "plan"', f"played = {played}")

    def denoised(self, weights, observation, steps, betas, noise_of):
        kept = np.cumprod(1 - betas)
        x = np.zeros(CHUNK)
        for i, now in enumerate(steps):
            before = kept[steps[i + 1]] if i + 1 < len(steps) else 1.0
            x = noise_of(x, weights, observation, now, kept[now], before, betas[now])
        return BOUND * np.clip(x, -1, 1)

    @staticmethod
    def seen(weights, x, observation, step, half=3):
        angle = step * np.exp(-math.log(10_000) / (half - 1) * np.arange(half))
        return through(weights, "denoiser", np.concatenate([x, observation, np.sin(angle), np.cos(angle)]))

    def denoiser(self, betas, steps, noise_of, *options):
        weights, episodes = self.acted("denoiser", "embedding = 6", f"noise_steps = {len(betas)}", 'play = "plan"', "played = 1", *options)
        self.compare(episodes, lambda o: self.denoised(weights, o, steps, betas, noise_of), lambda chunks: [chunk[0] for chunk in chunks])

    def test_ddpm_is_that_of_torchrl(self):
        def noise_of(x, weights, observation, now, kept, before, beta):
            noise = self.seen(weights, x, observation, now)
            return (x - beta / math.sqrt(1 - kept) * noise) / math.sqrt(1 - beta)

        betas = np.linspace(1e-4, 0.02, 12)
        self.denoiser(betas, list(range(11, -1, -1)), noise_of, 'schedule = "linear"', 'predicts = "noise"', 'sampler = "ddpm"', "clip = false")

    def test_ddim_goes_along_what_it_expects(self):
        def noise_of(x, weights, observation, now, kept, before, beta):
            clean = np.clip(self.seen(weights, x, observation, now), -1, 1)
            noise = (x - math.sqrt(kept) * clean) / math.sqrt(1 - kept)
            return math.sqrt(before) * clean + math.sqrt(1 - before) * noise

        left = [math.cos((t / 12 + 0.008) / 1.008 * math.pi / 2) ** 2 for t in range(13)]
        betas = np.array([min(1 - b / a, 0.999) for a, b in zip(left, left[1:])])
        self.denoiser(betas, [11, 8, 5, 2], noise_of, "denoise_steps = 4")


if __name__ == "__main__":
    unittest.main()

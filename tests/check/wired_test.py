#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objectives and policies keep to the contract as our manifests wire them. PLUGINS is the folder that they are built into."""

import os
import tempfile
import unittest
from pathlib import Path

from checked import FIXTURES, checked, failures

PLUGINS = Path(os.environ["PLUGINS"])
HERE = Path(__file__).resolve().parent
MANIFESTS = HERE.parent.parent / "manifests"

# Objectives that no manifest of tenon bench wires, and one of ours that does; with stand-ins, and for groups of agents.
WIRED = (
    ("dqn/c51", "c51_cartpole"),
    ("dqn/qr", "qr_cartpole"),
    ("dqn/dqn", "her_bitflip"),
    ("sac/discrete", "sac_cartpole"),
    ("reinforce/reinforce", "reinforce_cartpole"),
    ("ppo/ppo", "ppo_acrobot"),
    ("ppo/ppo", "ippo_spread"),
    ("redq/redq", "redq_pendulum"),
    ("tqc/tqc", "tqc_pendulum"),
    ("dreamer/dreamer", "dream_pendulum"),
    ("dreamer/v3", "dreamer_v3_reach"),
    ("tdmpc2/tdmpc2", "tdmpc2_pendulum"),
    ("qmix/qmix", "qmix_two_step"),
    ("qmix/qmix", "vdn_two_step"),
    ("curiosity/rnd", "rnd_deep_sea"),
    ("curiosity/icm", "icm_deep_sea"),
    ("language/sft", "sft_sort"),
    ("language/grpo", "grpo_sort"),
    ("language/reward_model", "judge_sort"),
    ("language/expert_iteration", "expert_sort"),
    ("language/distillation", "distil_sort"),
)

# Policies that act in a manifest of ours, with options beside its own.
ACTING = (
    ("mlp/categorical", "ppo_gru_cartpole", ()),
    ("mlp/categorical", "ppo_gridworld", ()),
    ("mlp/categorical", "ippo_spread", ()),
    ("mlp/tanh_normal", "ppo_pendulum", ()),
    ("mlp/tanh_gsde", "sac_mountain_car_continuous", ()),
    ("mlp/q_value", "dqn_cartpole", ("noisy=true",)),
    ("plan/cem", "cem_pendulum", ("horizon=5",)),
    ("mlp/tanh_normal", "dream_pendulum", ()),
    ("world/bounded_normal", "dreamer_v3_reach", ()),
    ("plan/guided", "tdmpc2_pendulum", ("candidates=8", "elites=4", "paths=2", "iterations=2", "horizon=2")),
)

# Networks of other sizes promise the same, and large ones take most of the time.
SMALLER = {
    "tdmpc2_pendulum": "[policy.world]\nlatent = 16\nsimplex = 4\nhidden = 16\nbins = 11\n[policy.actor]\nhidden = 16\n"
                       "[policy.qvalue]\nhidden = 16\nbins = 11\n[train]\nminibatch = 48\n",
    "dreamer_v3_reach": "[policy.world]\nmemory_size = 32\nlatents = 4\nclasses = 4\nhidden = 16\nbins = 15\n[policy.actor]\nhidden = 16\n"
                        "[policy.value]\nhidden = 16\nbins = 15\n[buffer]\nlength = 8\n[train]\nminibatch = 64\n",
    "dream_pendulum": "[policy.world]\nmemory_size = 16\nhidden = [16]\n[buffer]\nlength = 8\n[train]\nminibatch = 64\n",
}  # fmt: skip


def manifest_of(name, folder):
    """The manifest of that name, with smaller networks if they are large."""
    path = MANIFESTS / f"{name}.toml"
    if name not in SMALLER:
        return path
    smaller = Path(folder) / path.name
    smaller.write_text(f'include = ["{path}"]\n{SMALLER[name]}')
    return smaller


# What a policy without a density is not asked.
OF_DENSITIES = {
    "log_prob agrees with sample about a draw",
    "entropy is the mean of -log_prob over draws",
    "kl of a distribution to itself is 0",
}

# What a policy that remembers nothing is not asked.
SEQUENCES = "sequences give what single steps give"


class Wired(unittest.TestCase):
    def test_objectives_pass_as_our_manifests_wire_them(self):
        for name, manifest in WIRED:
            library, component = name.split("/")
            with self.subTest(name, manifest=manifest), tempfile.TemporaryDirectory() as folder:
                path = manifest_of(manifest, folder)
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, "--manifest", path)
                outcomes = {row["check"]: row["outcome"] for row in report["checks"] if row["kind"]}
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertEqual(outcomes["both executors agree on losses and gradients"], "pass")

    def test_policies_pass_where_they_act(self):
        for name, manifest, sets in ACTING:
            library, component = name.split("/")
            words = [word for text in sets for word in ("--set", text)]
            with self.subTest(name, manifest=manifest, sets=sets), tempfile.TemporaryDirectory() as folder:
                path = manifest_of(manifest, folder)
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, "--manifest", path, *words)
                self.assertEqual((code, failures(report)), (0, {}))
                skipped = {row["check"] for row in report["checks"] if row["outcome"] == "skip"}
                has_density = component in ("categorical", "tanh_normal", "tanh_gsde", "bounded_normal")
                remembers = "gru" in manifest or component == "tanh_gsde"
                self.assertEqual(skipped, (set() if has_density else OF_DENSITIES) | (set() if remembers else {SEQUENCES}))

    def test_sequences_are_compared_with_single_steps(self):
        text = (HERE / "history.toml").read_text()
        for component, expected in (("attention", "pass"), ("means", "pass"), ("two_ways", "fail")):
            with self.subTest(component), tempfile.NamedTemporaryFile("w", suffix=".toml") as manifest:
                manifest.write(text.replace("histories/attention", f"histories/{component}"))
                manifest.flush()
                library = FIXTURES / "plugins" / "histories.so"
                _, report = checked(library, "--component", component, "--manifest", manifest.name)
                rows = {row["check"]: row for row in report["checks"] if row["kind"]}
                self.assertEqual(rows[SEQUENCES]["outcome"], expected, rows[SEQUENCES])
                if expected == "fail":
                    self.assertRegex(rows[SEQUENCES]["sentence"], "step 0 of 24 gives .* step by step, but .* if all steps are computed at once")


if __name__ == "__main__":
    unittest.main()

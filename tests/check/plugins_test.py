#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every plugin of this repository keeps to the contract: PLUGINS is the folder that they are built into."""

import os
import tempfile
import unittest
from pathlib import Path

from checked import FIXTURES, checked, failures

PLUGINS = Path(os.environ["PLUGINS"])

# Components that need an option, in words that suit what a check has to offer.
GIVEN = {
    "replay/by_column": ('column="reward"', "beta=1"),
    "standard/action_discretise": ('take="random"',),
    "standard/action_flatten": ('columns=["action"]',),
    "standard/action_mask": ('from="legal"',),
    "standard/action_project": ("choices=9",),
    "standard/cast": ('columns=["observation"]',),
    "standard/cat_columns": ('columns=["observation"]',),
    "standard/centre_crop": ("height=2", "width=3"),
    "standard/crop": ("height=2", "width=3", "top=1", "left=1"),
    "standard/denormalise": ('mean="observation"', 'std="observation"'),
    "standard/exclude_columns": ('columns=["aside"]',),
    "standard/observation_norm": ('columns=["observation", "aside"]', "decay=0.9", "statistics=true"),
    "standard/primer": ('column="skill"', 'draw="normal"', "shape=[2]"),
    "standard/rename": ('columns=["observation"]', 'to=["seen"]'),
    "standard/select_columns": ('columns=["observation"]',),
    "standard/select_indices": ("indices=[2, 0]",),
    "standard/target_return": ("target=3",),
    "standard/terminate": ('column="observation"',),
    "standard/time_limit": ("max_steps=7",),
    "wrap/frame_skip": (),
    "wrap/macro_action": ('sequences=["0 1", "2"]',),
    "wrap/max_frame_skip": (),
    "wrap/pixels": ("height=5", "width=4", "grey=false"),
    "wrap/random_time_limit": ("most=7",),
}

# Those of which one check is skipped: this one takes no priorities.
SKIPS_ONE = ("replay/by_column",)

# simulations_test.py checks these.
SIMULATIONS = ("atari", "mujoco", "dm_control")

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
    ("mlp/tanh_normal", "ppo_pendulum", ()),
    ("mlp/tanh_gsde", "sac_mountain_car_continuous", ()),
    ("mlp/q_value", "dqn_cartpole", ("noisy=true",)),
    ("plan/cem", "cem_pendulum", ()),
)

# What a policy without a density is not asked.
OF_DENSITIES = {
    "log_prob agrees with sample about a draw",
    "entropy is the mean of -log_prob over draws",
    "kl of a distribution to itself is 0",
}

# What a policy that remembers nothing is not asked.
SEQUENCES = "sequences give what single steps give"


class Plugins(unittest.TestCase):
    def test_all_pass(self):
        plugins = sorted(PLUGINS.glob("*.so"))
        self.assertGreater(len(plugins), 10)
        for plugin in plugins:
            if plugin.stem in SIMULATIONS:
                continue
            with self.subTest(plugin.stem):
                code, report = checked(plugin)
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertGreater(report["passed"], 0)
                print(f"{plugin.stem}: {report['passed']} passed, {report['skipped']} skipped, {report['seconds']:.2f} s")

    def test_those_that_need_an_option_pass_with_it(self):
        for name, sets in GIVEN.items():
            library, component = name.split("/")
            words = [word for text in sets for word in ("--set", text)]
            with self.subTest(name):
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, *words)
                self.assertEqual((code, failures(report), report["skipped"]), (0, {}, int(name in SKIPS_ONE)))

    def test_inverted_actions_that_keep_their_spec_pass(self):
        for to in ("action", "move"):
            with self.subTest(to):
                code, report = checked(FIXTURES / "mirrors" / "mirrors.so", "--set", f'to="{to}"')
                self.assertEqual((code, failures(report)), (0, {}))

    def test_objectives_pass_as_our_manifests_wire_them(self):
        for name, manifest in WIRED:
            library, component = name.split("/")
            path = Path(__file__).parent.parent.parent / "manifests" / f"{manifest}.toml"
            with self.subTest(name, manifest=manifest):
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, "--manifest", path)
                outcomes = {row["check"]: row["outcome"] for row in report["checks"] if row["kind"]}
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertEqual(outcomes["both executors agree on losses and gradients"], "pass")

    def test_policies_pass_where_they_act(self):
        for name, manifest, sets in ACTING:
            library, component = name.split("/")
            path = Path(__file__).parent.parent.parent / "manifests" / f"{manifest}.toml"
            words = [word for text in sets for word in ("--set", text)]
            with self.subTest(name, manifest=manifest, sets=sets):
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, "--manifest", path, *words)
                self.assertEqual((code, failures(report)), (0, {}))
                skipped = {row["check"] for row in report["checks"] if row["outcome"] == "skip"}
                has_density = component in ("categorical", "tanh_normal", "tanh_gsde")
                remembers = "gru" in manifest or component == "tanh_gsde"
                self.assertEqual(skipped, (set() if has_density else OF_DENSITIES) | (set() if remembers else {SEQUENCES}))

    def test_sequences_are_compared_with_single_steps(self):
        text = (Path(__file__).parent / "history.toml").read_text()
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

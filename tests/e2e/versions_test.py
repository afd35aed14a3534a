#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Versions of parameters in whole runs: what acts with a lag is older than what learns, a reference is copied when it should
be and holds a policy back, and a resumed run goes on with both, bit for bit."""

import unittest

from runs import RunCase, records

# A round of 64 frames makes one update, or two with PPO.
RUN = """
[run]
total_frames = 1_280

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"
hidden = [16]

[policy.value]
plugin = "mlp/value"
hidden = [16]

[train]
batch = 64
minibatch = 64
{train}

[optimiser]
lr = 1e-2

[log]
every_frames = 64

[eval]
every_frames = 640
episodes = 4
{more}
[objective]
"""
VTRACE = RUN.format(train="", more="[collector]\nlag = {}\n") + 'plugin = "a2c/a2c"\nestimator = "vtrace"\n'
REFERENCE = RUN.format(train="epochs = 2", more="[policy.actor.reference]\nevery = {}\n") + 'plugin = "ppo/ppo"\nreference_kl = {}\n'


class Versions(RunCase):
    def column(self, name, text, key):
        self.train(self.put(f"{name}.toml", text), "--out", self.folder / name)
        return [record[key] for record in records(self.folder / name)]

    def test_what_acts_is_as_many_rounds_old_as_the_lag(self):
        for lag in (0, 1, 3):
            with self.subTest(lag=lag):
                off = [abs(ratio - 1) for ratio in self.column(f"lag_{lag}", VTRACE.format(lag), "train/ratio")]
                self.assertEqual(len(off), 20)
                if lag == 0:
                    self.assertLess(max(off), 1e-5)
                else:
                    self.assertLess(off[0], 1e-5)  # what learns has not learnt yet
                    self.assertGreater(min(off[1:]), 1e-5)
        self.assertEqual(len({(self.folder / f"lag_{lag}" / "metrics.csv").read_text() for lag in (0, 1, 3)}), 3)

    def test_a_column_says_what_has_acted(self):
        text = VTRACE.replace("[objective]", '[[hooks]]\nplugin = "hooks/quantiles"\ncolumn = "policy_version"\n[objective]')
        for lag in (0, 3):
            with self.subTest(lag=lag):
                name = f"version_{lag}"
                self.train(self.put(f"{name}.toml", text.format(lag)), "--out", self.folder / name)
                found = records(self.folder / name)
                for name_of in ("hook/min", "hook/max"):
                    # round n is collected when n updates have been made
                    self.assertEqual([record[name_of] for record in found], [max(n - lag, 0) for n in range(20)])
                if lag > 0:
                    self.assertEqual([record["rollout/policy_lag"] for record in found], [min(n, lag) for n in range(20)])

    def test_a_reference_is_copied_every_so_many_updates(self):
        # The last update of a round is recorded. A reference of each update is the policy that learns.
        each = self.column("each", REFERENCE.format(1, 0.1), "train/reference_kl")
        self.assertLess(max(abs(kl) for kl in each), 1e-6)
        # Copied at the end of each second round.
        fourth = self.column("fourth", REFERENCE.format(4, 0.1), "train/reference_kl")
        never = self.column("never", REFERENCE.format(0, 0.1), "train/reference_kl")
        self.assertEqual(fourth[:2], never[:2])
        self.assertLess(fourth[2], fourth[1])
        self.assertGreater(never[-1], max(fourth))

    def test_a_penalty_holds_the_policy_back(self):
        free = self.column("free", REFERENCE.format(0, 1e-9), "train/reference_kl")
        held = self.column("held", REFERENCE.format(0, 10.0), "train/reference_kl")
        self.assertLess(held[-1], free[-1] / 10)

    def test_a_policy_may_have_references_of_several_runs(self):
        for seed in (1, 2):
            self.train(self.put(f"{seed}.toml", REFERENCE.format(0, 0.1)), "--out", self.folder / f"run_{seed}", "--set", f"run.seed={seed}")
        old = "".join(f'[policy.old_{seed}]\nplugin = "mlp/categorical"\nhidden = [16]\ninit = "run_{seed}"\ninit_role = "actor"\n' for seed in (1, 2))
        text = REFERENCE.format(0, 0.1).replace("[policy.value]", old + "[policy.value]", 1) + 'references = ["actor", "old_1", "old_2"]\n'
        self.train(self.put("three.toml", text), "--out", self.folder / "three", "--set", 'policy.actor.init="run_1"')
        found = records(self.folder / "three")
        of = lambda name: [record["train/reference_kl" + name] for record in found]
        self.assertEqual(of(""), of("_old_1"))  # it began as this one
        self.assertGreater(min(of("_old_2")), 1e-3)
        self.assertGreater(of("")[-1], 0)
        self.assertEqual(found[-1]["train/loss/reference_kl_old_1"], found[-1]["train/loss/reference_kl"])
        said = self.tenon("validate", self.put("none.toml", text.replace('"old_2"]', '"old_3"]')), code=2).stderr
        self.assertIn("'old_3'", said)

    def test_resumed_each_is_the_same_run(self):
        both = REFERENCE.format(3, 0.1).replace("[objective]", "[collector]\nlag = 2\n[objective]")
        for name, text in (("vtrace", VTRACE.format(3)), ("both", both)):
            with self.subTest(name):
                self.same_in_halves(self.put(f"{name}.toml", text), 640, name=name)


if __name__ == "__main__":
    unittest.main()

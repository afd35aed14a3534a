#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose lanes have different tasks: resumed, on several threads, wrapped, in processes of their own, evaluated."""

import json
import unittest

from runs import SMALL, WIDE, RunCase, parameters, records, without_time

TASKS = """
[[env.tasks]]
name = "short"
length = 0.3

[[env.tasks]]
name = "long"
length = 1.0
gravity = 5.0
lanes = 1
"""
TOLD = SMALL.replace("lanes = 4", 'lanes = 4\ntask_column = "task"\ntau = 0.03').replace(
    'hidden = [32]', 'hidden = [32]\nin = ["observation", "task"]')


class Tasks(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("small.toml", TOLD.replace("[policy.qvalue]", TASKS + "\n[policy.qvalue]"))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        whole = self.run_to("whole")
        half = self.run_to("half", "--set", "run.total_frames=5_000")
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)
        self.assertNotEqual(records(whole), records(self.run_to("same", "--set", "env.tasks.1.gravity=9.8")))

    def test_the_resolved_manifest_is_the_same_run(self):
        first = self.run_to("first")
        self.train(first / "manifest.lock.toml", "--out", self.folder / "again")
        self.assert_same_run(first, self.folder / "again")

    def test_the_number_of_threads_changes_nothing(self):
        one = self.run_to("one", *WIDE, "--set", "run.threads=1")
        two = self.run_to("two", *WIDE, "--set", "run.threads=2")
        self.assert_same_run(one, two)

    def test_in_processes_of_their_own_they_give_the_same(self):
        words = ["--set", "run.total_frames=2_000", "--set", 'env.wrappers=[{ plugin = "wrap/noop_reset", most = 3 }]']
        here, apart = self.run_to("here", *words), self.run_to("apart", *words, "--set", 'env.isolation="process"')
        self.assertEqual(without_time(here), without_time(apart))
        self.assertEqual(parameters(here), parameters(apart))

    def test_evaluations_have_metrics_of_each_task(self):
        out = self.run_to("out", "--set", "eval.episodes=5")
        last = records(out)[-1]
        means = [last[f"eval/{name}mean_reward"] for name in ("", "short/", "long/")]
        self.assertAlmostEqual(means[0], (3 * means[1] + 2 * means[2]) / 5)
        told = json.loads(self.tenon("eval", out, "--checkpoint", "last", "--json").stdout)
        self.assertEqual([told["return_mean"], *(told["tasks"][name]["return_mean"] for name in ("short", "long"))], means)
        self.assertEqual([told["tasks"][name]["episodes"] for name in ("short", "long")], [3, 2])
        self.assertRegex(self.tenon("eval", out, "--episodes", "2").stdout,
                         r"^return .* over 2 episodes .*\n  short: return .* over 1 episode .*\n  long: return .*\n$")
        self.assertRegex(self.tenon("eval", out, "--env", "long", "--episodes", "2").stdout, r"^return .* over 2 episodes .*\n$")
        refused = self.tenon("eval", out, "--env", "lang", code=2).stderr
        self.assertIn("the run has no evaluation env 'lang'; did you mean 'long'?", refused)

    def test_evaluations_may_have_other_tasks(self):
        manifest = self.put("other.toml", self.manifest.read_text() + """
[[eval.env]]
name = "far"
theta_threshold = 5.0

[[eval.env]]
name = "new"

[[eval.env.tasks]]
name = "moon"
gravity = 1.6

[[eval.env.tasks]]
name = "jupiter"
gravity = 24.8
""")
        self.train(manifest, "--out", self.folder / "out", "--set", "run.total_frames=2_000")
        names = [name for name in records(self.folder / "out")[-1] if name.endswith("mean_reward")]
        self.assertEqual(names, [f"eval/{name}/mean_reward" for name in (
            "far", "far/short", "far/long", "new", "new/moon", "new/jupiter")])

    def test_explain_says_which_lanes_a_task_has(self):
        told = self.tenon("explain", self.manifest).stdout
        self.assertRegex(told, r"(?m)^ *short +classic/CartPole-v1 +0 to 2\n *long +classic/CartPole-v1 +3\n")
        self.assertRegex(told, r"(?m)^ *task +int64")

    def test_tasks_that_do_not_fit_are_told(self):
        told = self.tenon("validate", self.manifest, "--set", 'env.tasks.1={ plugin = "classic/Acrobot-v1" }', code=2).stderr
        self.assertIn("the tasks of an env must have the same columns, but 'observation' is float32 [4]", told)
        self.assertIn("for task 'short' but float32 [6]", told)
        told = self.tenon("validate", self.manifest, "--set", "env.tasks.0.lenght=1", code=2).stderr
        self.assertIn("unknown key 'env.tasks.0.lenght'; did you mean 'length'?", told)
        told = self.tenon("validate", self.manifest, "--set", "env.lenght=1", code=2).stderr
        self.assertEqual(told.count("error: "), 1, told)
        told = self.tenon("validate", self.manifest, "--set", 'env.task_column="observation"', code=2).stderr
        self.assertIn("already has a column 'observation': give another task_column", told)


if __name__ == "__main__":
    unittest.main()

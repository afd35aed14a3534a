#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose env stands inside wrappers: resumed, on several threads, with the env in a process of its own, evaluated."""

import unittest

from runs import SMALL, WIDE, RunCase, parameters, records, without_time

WRAPPERS = """
[[env.wrappers]]
plugin = "wrap/random_time_limit"
least = 30
most = 90

[[env.wrappers]]
plugin = "wrap/frame_skip"
steps = 2

[[env.wrappers]]
plugin = "wrap/noop_reset"
most = 5
"""


class Wrappers(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("small.toml", SMALL.replace("[policy.qvalue]", WRAPPERS + "\n[policy.qvalue]"))

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        whole = self.run_to("whole")
        half = self.run_to("half", "--set", "run.total_frames=5_000")
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)

    def test_the_number_of_threads_changes_nothing(self):
        one = self.run_to("one", *WIDE, "--set", "run.threads=1")
        two = self.run_to("two", *WIDE, "--set", "run.threads=2")
        self.assert_same_run(one, two)

    def test_a_schedule_moves_an_option(self):
        moved = ["--set", 'schedule."env.wrappers.0.most"={ kind = "linear", from = 90, to = 35, frames = 8000 }']
        plain, whole = self.run_to("plain"), self.run_to("whole", *moved)
        self.assertNotEqual(records(plain)[-1], records(whole)[-1])
        self.assertEqual(records(whole)[-1]["schedule/env.wrappers.0.most"], 35)
        half = self.run_to("half", *moved, "--set", "run.total_frames=5_000")
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)

    def test_an_env_in_a_process_of_its_own_gives_the_same(self):
        here = self.run_to("here")
        apart = self.run_to("apart", "--set", 'env.isolation="process"')
        self.assertEqual(without_time(here), without_time(apart))
        self.assertEqual(parameters(here), parameters(apart))


if __name__ == "__main__":
    unittest.main()

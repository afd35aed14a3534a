#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Procedural policies and samplers that keep something between calls: a resumed run equals one that never stopped, or
says that it is not."""

import os
import re
import unittest

from runs import SMALL, RunCase, without_time

FIXTURES = f'[plugins]\nsearch = ["{os.environ["FIXTURES"]}"]\n'

# 100 lanes are two ranges of work, so that two threads act.
PROCEDURE = FIXTURES + """
[run]
total_frames = 20_000

[env]
plugin = "classic/CartPole-v1"
lanes = 100

[train]
batch = 1_000

[policy.anything]
plugin = "%s"

[eval]
every_frames = 4_000
episodes = 4

[checkpoint]
every_frames = 4_000
"""


TRUNK = FIXTURES + """
[run]
total_frames = 2_048

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.trunk]
plugin = "memories/drawing_trunk"
out = ["hidden"]

[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
in = ["hidden"]

[policy.value]
plugin = "mlp/value"
hidden = [8]
in = ["hidden"]

[objective]
plugin = "ppo/ppo"

[train]
batch = 256
minibatch = 128
shuffle = "lanes"

[eval]
every_frames = 512
episodes = 2

[checkpoint]
every_frames = 512
"""


MODEL = FIXTURES + """
[run]
total_frames = 512

[env]
plugin = "classic/CartPole-v1"

[policy.model]
plugin = "memories/drawing_model"

[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
in = ["model.features"]
"""


class Memories(RunCase):
    def sampled(self, plugin):
        return self.put("sampled.toml", FIXTURES + SMALL.replace("replay/uniform", plugin))

    def stopped_and_whole(self, manifest, name=""):
        """The same run twice: without a stop, and killed while its second checkpoint is written."""
        whole, out = self.folder / f"whole{name}", self.folder / f"out{name}"
        notices = self.train(manifest, "--out", whole)["notices"]
        self.tenon("run", manifest, "--quiet", "--out", out, "--set", "run.threads=2", code=-9,
                   die_at="write:*/state.bin:3")
        return whole, out, notices

    def test_a_policy_goes_on_with_its_memory(self):
        whole, out, notices = self.stopped_and_whole(self.put("sway.toml", PROCEDURE % "memories/sway"))
        self.assertEqual(notices, "")
        self.assertEqual(self.train("--resume", out)["notices"], "")
        self.assert_same_run(whole, out)

    def test_a_policy_in_c_goes_on_and_every_evaluation_begins_alike(self):
        whole, out, _ = self.stopped_and_whole(self.put("tally.toml", PROCEDURE % "tally/tally"))
        self.train("--resume", out)
        self.assert_same_run(whole, out)
        records, _ = without_time(out)
        means = [dict(record)["eval/mean_reward"] for record in records if dict(record).get("eval/mean_reward") is not None]
        self.assertEqual((len(means), len(set(means))), (5, 1), means)

    def test_a_trunk_that_draws_what_it_remembers_acts_and_is_learnt(self):
        whole, out, notices = self.stopped_and_whole(self.put("trunk.toml", TRUNK))
        self.assertEqual(notices, "")
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_a_model_that_draws_remembers_what_was_acted_on(self):
        manifest = self.put("model.toml", MODEL)
        for program in ("act", "mode"):
            graph = self.tenon("explain", manifest, "--graph", program).stdout
            self.assertEqual(graph.count("random_normal"), 1, graph)
            drawn = re.search(r"(%\d+): real \[L, 4\] = random_normal", graph).group(1)
            self.assertIn('remember "model.z"', graph)
            self.assertGreater(graph.count(drawn), 1, graph)

    def test_a_sampler_goes_on_where_it_was(self):
        whole, out, notices = self.stopped_and_whole(self.sampled("memories/cursor"))
        self.assertEqual(notices, "")
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_priorities_go_on_where_they_were(self):
        plain = SMALL.replace("replay/uniform", "replay/prioritised")
        text = plain.replace("[schedule]", '[schedule]\n"buffer.beta" = { to = 1.0 }')
        self.assertNotEqual(text, plain)
        whole, out, notices = self.stopped_and_whole(self.put("prioritised.toml", text))
        self.assertEqual(notices, "")
        self.assertEqual(self.train("--resume", out)["notices"], "")
        self.assert_same_run(whole, out)
        records, _ = without_time(out)
        moved = [dict(record)["schedule/buffer.beta"] for record in records]
        self.assertEqual((moved[0] < 0.5, moved[-1]), (True, 1.0))
        # The schedule reaches the sampler: without it the run is another one.
        still = self.folder / "still"
        self.train(self.put("still.toml", plain), "--out", still)
        last = [folder.joinpath("checkpoints", "last", "parameters.safetensors").read_bytes() for folder in (whole, still)]
        self.assertNotEqual(*last)

    def test_several_steps_a_row_are_another_run_that_goes_on_too(self):
        text = SMALL.replace('"replay/uniform"', '"replay/prioritised"\nn_step = 3')
        whole, out, notices = self.stopped_and_whole(self.put("steps.toml", text))
        self.assertEqual(notices, "")
        self.train("--resume", out)
        self.assert_same_run(whole, out)
        one = self.folder / "one"
        self.train(self.put("one.toml", text.replace("n_step = 3", "n_step = 1")), "--out", one)
        last = [folder.joinpath("checkpoints", "last", "parameters.safetensors").read_bytes() for folder in (whole, one)]
        self.assertNotEqual(*last)

    def test_sequences_with_a_mask_are_learnt_from(self):
        for strict in ("true", "false"):
            with self.subTest(strict=strict):
                text = SMALL.replace('"replay/uniform"', f'"replay/slices"\nlength = 8\nstrict = {strict}')
                manifest = self.put(f"{strict}.toml", text)
                result = self.train(manifest, "--out", self.folder / strict, "--set", "run.total_frames=2_000")
                self.assertGreater(result["updates"], 50)

    def test_samplers_with_a_state_go_on_where_they_were(self):
        moves = '[schedule]\n"buffer.alpha" = { to = 0.2 }'
        for name, buffer, schedule in (
            ("trajectories", '"replay/trajectories"\nlength = 16\npart = "any"\ntruncate = true', "[schedule]"),
            ("without_replacement", '"replay/without_replacement"\nn_step = 2', "[schedule]"),
            ("by_column", '"replay/by_column"\ncolumn = "reward"', "[schedule]"),
            ("recent", '"replay/recent"\nevery = 64', "[schedule]"),
            ("alpha", '"replay/prioritised"\nmax_priority_within_buffer = true', moves),
        ):
            with self.subTest(name):
                text = SMALL.replace('"replay/uniform"', buffer).replace("[schedule]", schedule)
                whole, out, notices = self.stopped_and_whole(self.put(f"{name}.toml", text), name)
                self.assertEqual(notices, "")
                self.train("--resume", out)
                self.assert_same_run(whole, out)

    def test_who_cannot_be_saved_is_named_at_the_start_and_at_resumption(self):
        for part, manifest in (("memories/unsaved_sway", self.put("unsaved.toml", PROCEDURE % "memories/unsaved_sway")),
                               ("memories/unsaved_cursor", self.sampled("memories/unsaved_cursor"))):
            with self.subTest(part):
                out = self.folder / part.replace("/", "-")
                notices = self.train(manifest, "--out", out, "--set", "run.total_frames=5_000")["notices"]
                self.assertIn(f"{part} cannot save its state: a resumed run is not identical", notices)
                resumed = self.train("--resume", out, "--set", "run.total_frames=6_000")["notices"]
                self.assertIn(f"{part} cannot save its state: it begins with a new state", resumed)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gym/env in a pool: lanes step in workers of their own, and a slow or a dead one holds no other one up."""

import json

from worlds_case import PYTHON, Frames, PythonCase, main

POOL = """
[run]
total_frames = {frames}

[env]
plugin = "gym/env"
id = "{id}"
lanes = 4
envs_per_worker = 1
seed_offset = 0
python = "{python}"
{more}

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]

[exploration]
plugin = "explore/epsilon_greedy"

[collector]
kind = "pool"

[buffer]
plugin = "replay/uniform"
capacity = 8_000

[objective]
plugin = "dqn/dqn"

[train]
batch = 64
minibatch = 16
"""


class Pool(PythonCase):
    def manifest(self, id, more="", frames=1_000):
        path = self.folder / "m.toml"
        path.write_text(POOL.format(id=id, python=PYTHON, more=more, frames=frames))
        return path

    def counts(self, id, more, **others):
        """How many frames of each lane a run has kept, and what it printed."""
        out = self.folder / "out"
        said = self.tenon("run", self.manifest(id, more, **others), "--out", out, "--quiet", "--json")
        frames = json.loads(next(line for line in said.splitlines() if line.startswith("{")))["frames"]
        kept = Frames(out / "checkpoints" / "last" / "frames.safetensors").numbers("lanes/count")
        self.assertEqual(sum(kept), frames)
        return kept, said

    def test_a_slow_lane_holds_no_other_lane_up(self):
        # A thousand frames of the other lanes may take less than the first step of this one.
        kept, _ = self.counts("worlds:Slow", "kwargs = { seconds = 0.05, lane = 0 }", frames=4_000)
        self.assertGreater(kept[0], 0)
        self.assertGreater(min(kept[1:]), 5 * kept[0])

    def test_a_worker_that_ends_is_started_again(self):
        once = self.folder / "once"
        kept, said = self.counts("worlds:Faulty", f'kwargs = {{ what = "hard-exit", lane = 1, once = "{once}" }}')
        self.assertIn("its worker process with lane 1 ", said)
        self.assertIn("begin new episodes (restarts left: 4)", said)
        self.assertGreater(min(kept), 20)

    def test_a_resumed_run_has_the_frames(self):
        self.counts("worlds:Base", "")
        said = self.tenon("run", "--resume", self.folder / "out", "--quiet", "--set", "run.total_frames=2_000")
        self.assertIn("the lanes of a pool begin new episodes", said)

    def test_lanes_of_one_worker_gain_nothing(self):
        manifest = self.manifest("worlds:Base")
        self.assertNotIn("warning", self.tenon("validate", manifest))
        manifest.write_text(manifest.read_text().replace("envs_per_worker = 1", "envs_per_worker = 4"))
        why = "warning: gym/env steps one of its 4 lanes at a time, so that no lane of the pool steps while another one does"
        self.assertIn(why, self.tenon("validate", manifest))
        self.assertNotIn("warning", self.tenon("validate", manifest, "--set", 'validate.allow=["pool"]'))

    def test_explain_says_how_many_lanes_step_at_the_same_time(self):
        said = " ".join(self.tenon("explain", self.manifest("worlds:Base")).split())
        self.assertIn("Each round collects 64 frames of 4 lanes,", said)
        self.assertIn("Lanes step by themselves, 4 lanes at the same time at most: as soon as 2 lanes are ready, those that", said)

    def test_a_vector_environment_is_refused(self):
        said = self.tenon("validate", self.manifest("CartPole-v1", 'vector = "make_vec"'), code=2)
        self.assertIn("gym/env cannot answer later because a worker with a vector environment steps all its lanes in one call", said)


if __name__ == "__main__":
    main()

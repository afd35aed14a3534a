#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon data convert A B DST`: the whole episodes of several recordings in one file."""

import json
import unittest

from runs import RunCase


class Joined(RunCase):
    def record(self, env, lanes, frames, out):
        manifest = self.put(f"{out}.toml", f'[run]\ntotal_frames = 600\n[env]\nplugin = "classic/{env}"\nlanes = {lanes}\n[policy.actor]\nplugin = "random/random"\n')
        self.tenon("record", manifest, "--frames", frames, "--out", out)
        return json.loads(self.tenon("data", "info", out, "--json").stdout)

    def test_recordings_are_joined(self):
        one, four = self.record("CartPole-v1", 1, 300, "one.frames"), self.record("CartPole-v1", 4, 800, "four.frames")
        self.tenon("data", "convert", "one.frames", "four.frames", "both.frames")
        both = json.loads(self.tenon("data", "info", "both.frames", "--json").stdout)
        self.assertEqual(both["episodes"], one["episodes"] + four["episodes"])
        self.assertEqual((both["pieces"], both["lanes"]), (0, 1))
        whole = both["episodes"] * both["return_mean"]
        parts = sum(each["episodes"] * each["return_mean"] for each in (one, four))
        self.assertAlmostEqual(whole, parts, places=6)
        self.assertEqual(both["frames"], round(whole))  # a reward of 1 for each step
        self.tenon("data", "convert", "four.frames", "single.frames", "--one-lane")
        single = json.loads(self.tenon("data", "info", "single.frames", "--json").stdout)
        self.assertEqual([single[key] for key in ("episodes", "pieces", "lanes")], [four["episodes"], 0, 1])
        self.assertEqual((four["lanes"], four["pieces"] > 0), (4, True))
        self.record("Pendulum-v1", 1, 200, "other.frames")
        self.assertIn("error: other.frames cannot be joined with one.frames: its column 'observation' is float32 [3], not float32 [4]\n",
                      self.tenon("data", "convert", "one.frames", "other.frames", "none.frames", code=2).stderr)


if __name__ == "__main__":
    unittest.main()

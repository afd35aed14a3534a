#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HDF5 files in D4RL's form: episodes, their ends and what follows the last frame."""

import json

from data_case import DataCase, main

MAKE = """
import json, sys
import h5py, numpy as np
keep = sys.argv[2].split(",")
count = 10
arrays = {
    "observations": np.arange(2 * count, dtype=np.float32).reshape(count, 2), "actions": np.zeros((count, 1), np.float32),
    "rewards": np.arange(count, dtype=np.float32), "terminals": np.isin(np.arange(count), [3]),
    "timeouts": np.isin(np.arange(count), [6]),
    "next_observations": 1000 + np.arange(2 * count, dtype=np.float32).reshape(count, 2)}
with h5py.File(sys.argv[1], "w") as file:
    for name in keep:
        file.create_dataset(name, data=arrays[name], compression="gzip")
    file.create_dataset("infos/qpos", data=np.zeros((count, 3)))
"""
# The layout of the published hopper-medium-v2.hdf5: arrays in gzip's chunks, a column of rewards, infos of the simulation, and the
# policy that has acted, with texts and numbers that have no dimension.
PUBLISHED = """
import sys
import h5py, numpy as np
count, rng = 40, np.random.default_rng(0)
with h5py.File(sys.argv[1], "w") as file:
    def put(name, array):
        file.create_dataset(name, data=array, chunks=(8, *array.shape[1:]), compression="gzip")
    put("actions", rng.uniform(-1, 1, (count, 3)).astype(np.float32))
    put("infos/action_log_probs", rng.normal(size=count).astype(np.float32))
    put("infos/qpos", rng.normal(size=(count, 6)))
    put("infos/qvel", rng.normal(size=(count, 6)))
    put("observations", rng.normal(size=(count, 11)).astype(np.float32))
    put("next_observations", rng.normal(size=(count, 11)).astype(np.float32))
    put("rewards", np.arange(count, dtype=np.float32).reshape(count, 1))
    put("terminals", np.isin(np.arange(count), [9]))
    put("timeouts", np.isin(np.arange(count), [29]))
    file["metadata/algorithm"] = np.bytes_(b"SAC")
    file["metadata/iteration"] = 3000
    file["metadata/policy/nonlinearity"] = "relu"
    file["metadata/policy/fc0/weight"] = np.zeros((256, 11), np.float32)
"""
ALL = "observations,actions,rewards,terminals,timeouts"
# The last observation of each episode, as the package minari reads it from a conversion.
LAST = """
import json, sys
import minari
data = minari.MinariDataset(sys.argv[1])
print(json.dumps([[e.observations[-1].tolist(), e.rewards.tolist(), bool(e.terminations[-1])] for e in data.iterate_episodes()]))
"""


class D4rl(DataCase):
    def made(self, arrays):
        self.python(MAKE, self.folder / "it.hdf5", arrays)
        self.tenon("data", "convert", "it.hdf5", "made-v0", "--format", "minari")
        return self.object("data", "info", "it.hdf5"), self.python(LAST, self.folder / "made-v0" / "data")

    def test_with_next_observations_every_frame_counts(self):
        info, last = self.made(ALL + ",next_observations")
        self.assertEqual((info["frames"], info["episodes"], info["terminated"], info["truncated"]), (10, 3, 1, 2))
        self.assertEqual([e[0] for e in last], [[1006, 1007], [1012, 1013], [1018, 1019]])
        self.assertEqual([e[2] for e in last], [True, False, False])
        self.assertEqual(info["left_out"], ["'infos', because it is not read"])

    def test_without_them_the_frame_before_a_timeout_is_the_last(self):
        info, last = self.made(ALL)
        self.assertEqual((info["frames"], info["episodes"]), (8, 3))
        self.assertEqual([e[0] for e in last], [[6, 7], [12, 13], [18, 19]])
        self.assertEqual([e[1] for e in last], [[0, 1, 2, 3], [4, 5], [7, 8]])
        self.assertIn("the last frames of 2 episodes", info["left_out"][1])

    def test_without_timeouts_only_terminals_end(self):
        info, _ = self.made("observations,actions,rewards,terminals")
        self.assertEqual((info["frames"], info["episodes"]), (9, 2))

    def test_a_file_as_d4rl_publishes_them(self):
        self.python(PUBLISHED, self.folder / "it.hdf5")
        info = self.object("data", "info", "it.hdf5")
        self.assertEqual((info["frames"], info["episodes"], info["terminated"], info["truncated"]), (40, 3, 1, 2))
        columns = {column["key"]: (column["dtype"], tuple(column["shape"])) for column in info["columns"]}
        self.assertLessEqual({("observation", ("float32", (11,))), ("action", ("float32", (3,))), ("reward", ("float32", ()))}, columns.items())
        self.assertEqual(sorted(info["left_out"]), ["'infos', because it is not read", "'metadata', because it is not read"])
        stats = {column["key"]: column for column in self.object("data", "stats", "it.hdf5")["columns"]}
        self.assertEqual((stats["reward"]["min"], stats["reward"]["mean"], stats["reward"]["max"]), (0, 19.5, 39))

    def test_the_first_frames_and_statistics(self):
        self.python(MAKE, self.folder / "it.hdf5", ALL)
        rows = [json.loads(line) for line in self.tenon("data", "head", "it.hdf5", "--frames", "5", "--json").stdout.splitlines()]
        self.assertEqual([(row["episode"], row["step"], row["observation"]) for row in rows[2:]],
                         [(0, 2, [4, 5]), (0, 3, [6, 7]), (1, 0, [8, 9])])
        stats = {column["key"]: column for column in self.object("data", "stats", "it.hdf5")["columns"]}
        self.assertEqual((stats["reward"]["min"], stats["reward"]["max"], stats["reward"]["nan"]), (0, 8, 0))
        self.assertAlmostEqual(stats["reward"]["mean"], (0 + 1 + 2 + 3 + 4 + 5 + 7 + 8) / 8)

    def test_a_foreign_file_is_refused(self):
        self.python(MAKE, self.folder / "it.hdf5", "observations,actions")
        self.refused("is no dataset in D4RL's form: it has no array 'rewards'", "data", "info", "it.hdf5")
        (self.folder / "cut.hdf5").write_bytes((self.folder / "it.hdf5").read_bytes()[:600])
        self.refused("cut.hdf5 cannot be opened as an HDF5 file", "data", "info", "cut.hdf5")
        (self.folder / "text").write_text("no frames at all")
        self.refused("text", "data", "info", "text")


if __name__ == "__main__":
    main()

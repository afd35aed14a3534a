#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Minari's datasets: what the package writes is read, and what is written the package reads."""

import json
import shutil

from data_case import ROOT, DataCase, main

# A dataset in every form that the package writes. The storage is made as its create_dataset does, without an env.
MAKE = """
import pathlib, sys
import numpy as np
from gymnasium import spaces
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
observation = spaces.Dict({
    "pos": spaces.Box(-1, 2, (2,), np.float64), "n": spaces.Discrete(5, start=3), "words": spaces.Text(8),
    "pair": spaces.Tuple((spaces.Box(-np.inf, np.inf, (1, 2), np.float32), spaces.MultiBinary(3))),
    "small": spaces.Box(0, 255, (4, 5, 3), np.uint8), "large": spaces.Box(0, 255, (32, 33, 3), np.uint8)})
folder = pathlib.Path(sys.argv[1]); folder.mkdir()
storage = MinariStorage.new(folder, observation, spaces.MultiDiscrete([2, 3]), jpeg_encoding=sys.argv[2] == "jpeg")
draw = np.random.default_rng(0)
for number, length in enumerate([4, 1, 3]):
    rows = length + 1
    storage.update_episodes([EpisodeBuffer(
        seed=10 + number if number != 1 else None,
        observations={
            "pos": draw.uniform(-1, 2, (rows, 2)), "n": draw.integers(3, 8, rows), "words": ["word"] * rows,
            "pair": (draw.normal(size=(rows, 1, 2)).astype(np.float32), draw.integers(0, 2, (rows, 3)).astype(np.int8)),
            "small": draw.integers(0, 256, (rows, 4, 5, 3)).astype(np.uint8),
            "large": draw.integers(0, 256, (rows, 32, 33, 3)).astype(np.uint8)},
        actions=draw.integers(0, 2, (length, 2)), rewards=draw.normal(size=length),
        terminations=np.arange(length) == (length - 1 if number == 0 else -1),
        truncations=np.arange(length) == (length - 1 if number == 1 else -1), infos={"x": np.zeros(rows)})])
storage.update_metadata({"dataset_id": "tenon/parts-v0", "minari_version": "0.5.4", "algorithm_name": "dice"})
"""
# All arrays of a dataset, as the package reads them.
READ = """
import json, sys
import numpy as np
import minari
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value if isinstance(value, str) else [str(value.dtype), value.tolist()]
data = minari.MinariDataset(sys.argv[1])
print(json.dumps({
    "id": data.id, "frames": int(data.total_steps), "observation": str(data.observation_space), "action": str(data.action_space),
    "episodes": [[plain(e.observations), plain(e.actions), plain(e.rewards), plain(e.terminations), plain(e.truncations)]
                 for e in data.iterate_episodes()],
    "seeds": [m.get("seed") for m in data.storage.get_episode_metadata(range(data.total_episodes))]}))
"""
LEARNS = """
[env]
plugin = "classic/Pendulum-v1"

[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [16]

[buffer]
plugin = "replay/uniform"
capacity = 2_000
init = "{init}"

[objective]
plugin = "bc/bc"

[train]
total_updates = 20
minibatch = 32
"""

# Random actions alone: nothing learns.
COLLECTS = """
[run]
executor = "compiled"
total_frames = 1_300

[env]
plugin = "classic/Pendulum-v1"
lanes = 2

[policy.actor]
plugin = "random/random"

[train]
batch = 100
"""


class Minari(DataCase):
    def made(self, form="raw"):
        self.python(MAKE, self.folder / form, form)
        return self.folder / form

    def pendulum(self, *words, **variables):
        return self.tenon("record", ROOT / "manifests" / "sac_pendulum.toml", "--actions", "random", "--frames", "1200", *words,
                          **variables)

    def test_spaces_become_columns(self):
        info = self.object("data", "info", self.made())
        self.assertEqual((info["frames"], info["episodes"], info["terminated"], info["truncated"]), (8, 3, 1, 2))
        self.assertEqual(info["format"], "hdf5/minari")
        self.assertEqual(info["about"], {"algorithm_name": "dice", "dataset_id": "tenon/parts-v0", "minari_version": "0.5.4"})
        found = {column["key"]: (column["role"], column["dtype"], column["shape"]) for column in info["columns"]}
        self.assertEqual(
            {key: value for key, value in found.items() if value[0] != "flag"},
            {"observation.pos": ("observation", "float64", [2]), "observation.n": ("observation", "int64", []),
             "observation.pair.0": ("observation", "float32", [1, 2]), "observation.pair.1": ("observation", "bool", [3]),
             "observation.small": ("observation", "uint8", [4, 5, 3]), "observation.large": ("observation", "uint8", [32, 33, 3]),
             "action": ("action", "int64", [2]), "reward": ("reward", "float64", [])})
        specs = {column["key"]: column["spec"] for column in info["columns"]}
        self.assertEqual(specs["action"], "int64 [2], 2 x 3 categories")
        self.assertEqual(specs["observation.pos"], "float64 [2] in [-1, 2]")
        self.assertEqual(info["left_out"], ["'observation.words', because it is text", "'infos', because they are not read"])

    def test_pictures_as_jpeg_are_left_out(self):
        info = self.object("data", "info", self.made("jpeg"))
        self.assertNotIn("observation.large", [column["key"] for column in info["columns"]])
        self.assertIn("'observation.large', because its pictures are stored as JPEG", info["left_out"][1])
        self.assertIn("observation.small", [column["key"] for column in info["columns"]])

    def test_what_is_converted_is_the_same(self):
        """To frames, to a dataset, and by the package's own eyes: same arrays, ends, seeds and spaces."""
        before = self.python(READ, self.made())
        self.tenon("data", "convert", "raw", "it.frames")
        for source, name in (("raw", "direct-v3"), ("it.frames", "over")):
            with self.subTest(source):
                self.tenon("data", "convert", source, name, "--format", "minari")
                after = self.python(READ, self.folder / name / "data")
                self.assertEqual(after["id"], "direct-v3" if name == "direct-v3" else "over-v0")
                for old, new in zip(before["episodes"], after["episodes"], strict=True):
                    old[0].pop("words", None)
                    old[0]["n"] = ["int64", [n - 3 for n in old[0]["n"][1]] if source == "raw" else old[0]["n"][1]]
                    self.assertEqual({**new[0], "pair": new[0]["pair"][0]}, {**old[0], "pair": old[0]["pair"][0]})
                    self.assertEqual(new[0]["pair"][1][1], old[0]["pair"][1][1])
                    self.assertEqual(new[1:4], old[1:4])
                self.assertEqual([e[4][1][-1] for e in after["episodes"]], [False, True, True])
                if source == "raw":
                    self.assertEqual(after["seeds"], [10, None, 12])
                self.assertEqual(after["action"], "MultiDiscrete([2 3])")
                self.assertIn("'pos': Box(-1.0, 2.0, (2,), float64)", after["observation"])
                self.assertIn("'pair': Tuple(Box(-inf, inf, (1, 2), float32), MultiBinary(3))", after["observation"])

    def test_a_recording_is_a_dataset(self):
        """The frames of `tenon record` in both formats are the same, and the package knows Pendulum's spaces again."""
        self.pendulum("--seed", "3", "--out", "it.frames")
        self.pendulum("--seed", "3", "--out", "pendulum-v0", "--format", "minari")
        read = self.python(READ, self.folder / "pendulum-v0" / "data")
        self.assertEqual(read["observation"], "Box([-1. -1. -8.], [1. 1. 8.], (3,), float32)")
        self.assertEqual(read["action"], "Box(-2.0, 2.0, (1,), float32)")
        self.assertEqual(read["frames"], 1200)
        rows = [json.loads(line) for line in self.tenon("data", "head", "it.frames", "--frames", "1200", "--json").stdout.splitlines()]
        episodes = {}
        for row in rows:
            episodes.setdefault(row["episode"], []).append(row)
        self.assertEqual(len(episodes), len(read["episodes"]))
        lanes = self.object("data", "info", "it.frames")["lanes"]
        self.assertEqual([seed is not None for seed in read["seeds"]], [i < lanes for i in range(len(episodes))])
        self.assertEqual(len(set(read["seeds"][:lanes])), lanes)
        for mine, theirs in zip(episodes.values(), read["episodes"]):
            self.assertEqual([row["observation"] for row in mine], theirs[0][1][:-1])
            self.assertEqual([row["action"] for row in mine], theirs[1][1])
            self.assertEqual([row["reward"] for row in mine], theirs[2][1])
            self.assertTrue(theirs[4][1][-1])

    def test_minari_lists_what_is_in_its_folders(self):
        """A dataset is listed by its place below Minari's root, so that folders above it are part of its name."""
        root = self.folder / "root"
        for target in ("root/pendulum-v0", "root/tenon/easy/pendulum-v1", "elsewhere/pendulum-v2"):
            self.pendulum("--out", target, "--format", "minari", MINARI_DATASETS_PATH=root)
        listed = self.python(f"import os\nos.environ['MINARI_DATASETS_PATH'] = {str(root)!r}\nimport json, minari\n"
                             "print(json.dumps(list(minari.list_local_datasets())))")
        self.assertEqual(listed, ["pendulum-v0", "tenon/easy/pendulum-v1"])
        self.assertEqual(self.object("data", "info", "elsewhere/pendulum-v2")["about"]["dataset_id"], "pendulum-v2")
        self.pendulum("--out", ".minari/datasets/tenon/pendulum-v3", "--format", "minari", HOME=str(self.folder))
        about = self.object("data", "info", ".minari/datasets/tenon/pendulum-v3")["about"]
        self.assertEqual(about["dataset_id"], "tenon/pendulum-v3")

    def test_pieces_of_episodes_are_told(self):
        """Pendulum's episodes have 200 steps: 1,200 frames of 4 lanes are one and a half episodes each."""
        told = self.pendulum("--out", "pendulum-v0", "--format", "minari").stderr
        pieces = "4 of 8 episodes are pieces, which begin or end where the recording does: in the dataset they look like whole, truncated"
        self.assertIn(pieces, told)
        self.assertNotIn("piece", self.pendulum("--out", "it.frames").stderr)
        self.assertIn(pieces, self.tenon("data", "convert", "it.frames", "pendulum-v1", "--format", "minari").stderr)
        self.assertNotIn("piece", self.tenon("data", "convert", "pendulum-v0", "pendulum-v2", "--format", "minari").stderr)

    def test_what_training_collects_is_a_dataset(self):
        """collector.record in both formats, of a run with two lanes that was continued."""
        (self.folder / "m.toml").write_text(COLLECTS)
        for record in ("it.frames", "kept/pendulum-v0"):
            out = "run-" + record.replace("/", "-")
            self.tenon("run", "m.toml", "--quiet", "--out", out, "--set", f"collector.record={record}", "--set", "run.total_frames=900")
            self.tenon("run", "--resume", out, "--quiet", "--set", "run.total_frames=1_300")
        read = self.python(READ, self.folder / "kept" / "pendulum-v0" / "data")
        self.assertEqual((read["frames"], len(read["episodes"])), (1_200, 6))  # 200 steps each; 100 more in two pieces
        self.assertEqual([seed is not None for seed in read["seeds"]], [True] * 2 + [False] * 4)
        rows = [json.loads(line) for line in self.tenon("data", "head", "it.frames", "--frames", "1200", "--json").stdout.splitlines()]
        self.assertEqual([row["observation"] for row in rows], [o for e in read["episodes"] for o in e[0][1][:-1]])
        self.assertEqual([row["reward"] for row in rows], [reward for e in read["episodes"] for reward in e[2][1]])
        for episode in read["episodes"]:
            self.assertEqual(len(episode[0][1]), 201)
            self.assertTrue(episode[4][1][-1])
        self.refused("exists already; collector.record must name a new file or folder", "run", "m.toml", "--out", "again",
                     "--set", "collector.record=kept/pendulum-v0")

    def test_a_run_learns_from_it_as_from_frames(self):
        learnt = {}
        self.pendulum("--out", "many.frames")
        self.tenon("data", "convert", "many.frames", "pendulum-v0", "--format", "minari")
        self.tenon("data", "convert", "pendulum-v0", "one.frames")  # the same episodes in one lane
        for init in ("one.frames", "pendulum-v0"):
            (self.folder / "m.toml").write_text(LEARNS.format(init=init))
            self.tenon("run", "m.toml", "--quiet", "--out", f"learnt-{init}")
            last = self.folder / f"learnt-{init}" / "checkpoints" / "last"
            learnt[init] = (last / "parameters.safetensors").read_bytes()
        self.assertEqual(learnt["one.frames"], learnt["pendulum-v0"])

    def test_spaces_that_do_not_fit_are_named_on_both_sides(self):
        self.pendulum("--out", "pendulum-v0", "--format", "minari")
        manifest = self.folder / "m.toml"
        manifest.write_text(LEARNS.format(init="pendulum-v0").replace("Pendulum-v1", "MountainCarContinuous-v0"))
        told = self.refused("have the column 'observation' as float32 [3], but this run has float32 [2]", "validate", manifest)
        self.assertIn("m.toml:12:", told)
        self.made()
        manifest.write_text(LEARNS.format(init="raw"))
        told = self.refused("have no column 'observation'", "validate", manifest)
        self.assertRegex(told, "they have .*observation.pos")

    def test_other_element_types_are_converted(self):
        """float64 of another program becomes the float32 of this run's env, in the data and in what bounds say."""
        self.python(
            "import pathlib, sys, numpy as np\nfrom gymnasium import spaces\n"
            "from minari.data_collector import EpisodeBuffer\nfrom minari.dataset.minari_storage import MinariStorage\n"
            "folder = pathlib.Path(sys.argv[1]); folder.mkdir()\nhigh = np.array([1.0, 1.0, 8.0])\n"
            "s = MinariStorage.new(folder, spaces.Box(-high, high, (3,), np.float64), spaces.Box(-2, 2, (1,), np.float64))\n"
            "s.update_episodes([EpisodeBuffer(observations=np.zeros((41, 3)), actions=np.full((40, 1), 0.1), rewards=np.ones(40),"
            " terminations=np.zeros(40, bool), truncations=np.arange(40) == 39)])", self.folder / "doubles")
        (self.folder / "m.toml").write_text(LEARNS.format(init="doubles"))
        self.tenon("run", "m.toml", "--quiet", "--out", "learnt")

    def test_what_is_no_dataset_is_refused(self):
        whole = self.made()
        for name in ("cut", "empty", "spaceless", "badspace", "short"):
            shutil.copytree(whole, self.folder / name)
        data = (whole / "main_data.hdf5").read_bytes()
        (self.folder / "cut" / "main_data.hdf5").write_bytes(data[: len(data) // 2])
        self.refused("cannot be opened as an HDF5 file: it is truncated, damaged, or still written", "data", "info", "cut")
        self.python("import h5py, sys\nf = h5py.File(sys.argv[1], 'w')\nf.close()", self.folder / "empty" / "main_data.hdf5")
        self.refused("the dataset empty has no episodes", "data", "info", "empty")
        for name, change in (("spaceless", lambda m: m.pop("action_space")), ("badspace", lambda m: m.update(action_space="{"))):
            path = self.folder / name / "metadata.json"
            metadata = json.loads(path.read_text())
            change(metadata)
            path.write_text(json.dumps(metadata))
        self.refused("metadata.json has no 'action_space'", "data", "info", "spaceless")
        self.refused("action_space, is not valid JSON at byte 1", "data", "info", "badspace")
        self.python("import h5py, sys\nf = h5py.File(sys.argv[1], 'a')\ng = f['episode_2']\nv = g['actions'][:-1]\ndel g['actions']\n"
                    "g['actions'] = v\nf.close()", self.folder / "short" / "main_data.hdf5")
        self.refused("'episode_2/actions' has 2 rows, but 3 fit its 3 rewards", "data", "info", "short")
        arrow = self.folder / "arrow"
        arrow.mkdir()
        (arrow / "metadata.json").write_text(json.dumps({"total_episodes": 1, "data_format": "arrow"}))
        self.refused("arrow is a dataset of Minari in Arrow's format, and only HDF5 is read: write it again with data_format=\"hdf5\"",
                     "data", "info", "arrow")

    def test_a_machine_without_hdf5_says_so(self):
        self.made()
        self.refused("TENON_HDF5 is no library that can be loaded", "data", "info", "raw", code=4, TENON_HDF5="/nothing.so")

    def test_destinations_and_formats_are_checked(self):
        self.made()
        self.refused("raw exists already; give the name of a new dataset", "data", "convert", "raw", "raw", "--format", "minari")
        self.refused("no plugin has the dataset format 'minary'; there are minari, d4rl; did you mean 'minari'?",
                     "data", "convert", "raw", "new", "--format", "minary")
        self.refused("hdf5/d4rl only reads datasets and cannot write new", "data", "convert", "raw", "new", "--format", "d4rl")
        self.assertFalse((self.folder / "new").exists())


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon explain`: the wiring of a manifest as numbers that can be counted by hand."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
LEARNS = """
[run]
total_frames = 1000

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 400

[objective]
plugin = "dqn/dqn"

[train]
batch = 64
minibatch = 32
updates_per_batch = 2
start_frames = 100

[optimiser]
lr = 2e-3

[schedule]
"exploration.epsilon" = { from = 1.0, to = 0.05, frames = 500 }
"""
OWNS = """
[run]
total_frames = 1000

[env]
plugin = "classic/Pendulum-v1"

[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [8]

[policy.qvalue]
plugin = "mlp/q"
count = 2
hidden = [8]

[buffer]
plugin = "replay/uniform"

[objective]
plugin = "sac/sac"
"""
BATCHES = """
[run]
total_frames = 1000

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.actor]
plugin = "mlp/categorical"

[policy.value]
plugin = "mlp/value"

[objective]
plugin = "ppo/ppo"

[train]
batch = 64
minibatch = 16
accumulate = 2
epochs = 3
"""
REMEMBERS = """
[run]
total_frames = 1024

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.actor]
plugin = "mlp/categorical"
cell = "gru"
cell_size = 8

[policy.value]
plugin = "mlp/value"
cell = "gru"
cell_size = 8

[objective]
plugin = "ppo/ppo"

[train]
batch = 128
minibatch = 64
shuffle = "slices"
slice_length = 16
burn_in = 4
"""
SEES = """
[run]
total_frames = 1024

[env]
plugin = "small/Catch-v0"

[policy.trunk]
plugin = "cnn/convnet"
channels = [16, 32]
kernels = [3]
strides = [2]
paddings = [1]
size = 64

[policy.qvalue]
plugin = "mlp/q_value"
hidden = []
in = ["trunk.features"]

[buffer]
plugin = "replay/slices"
length = 8

[objective]
plugin = "dqn/dqn"

[train]
minibatch = 32
"""
ACTS = """
[run]
total_frames = 64

[env]
plugin = "classic/CartPole-v1"

[policy.actor]
plugin = "random/random"
"""
SYMBOLS = """
[run]
total_frames = 1000

[plugins]
search = ["FIXTURES"]

[env]
plugin = "choices/Symbols-v0"
symbols = "SYMBOLS"

[policy.actor]
plugin = "mlp/categorical"
hidden = []

[policy.value]
plugin = "mlp/value"
hidden = []
categories = "number"

[objective]
plugin = "ppo/ppo"
"""


class Explain(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def explain(self, manifest, *words, code=0):
        (self.folder / "m.toml").write_text(manifest)
        environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
        command = [TENON, "explain", "m.toml", *words]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=environment, timeout=PATIENCE)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["m.toml"])  # nothing was run
        return run

    def told(self, manifest, *words):
        return json.loads(self.explain(manifest, "--json", *words).stdout)

    def test_columns_say_who_writes_and_reads_them(self):
        columns = {column.pop("key"): column for column in self.told(LEARNS)["columns"]}
        rows = 4 * (400 // 4 + 1)  # one slot more for the newest observation
        observation = {
            "dtype": "float32",
            "shape": [4],
            "writer": "env",
            "readers": ["policy.qvalue", "objective"],
            "row_bytes": 16,
            "bytes": 2 * 16 * rows,  # and those that episodes end with
        }
        self.assertEqual(columns["observation"], observation)
        self.assertEqual(columns["action"]["writer"], "policy.qvalue, exploration")
        self.assertEqual(columns["action"]["readers"], ["objective"])
        self.assertEqual((columns["reward"]["row_bytes"], columns["reward"]["bytes"]), (4, 4 * rows))
        self.assertEqual(columns["terminated"]["readers"], ["objective"])
        self.assertEqual(columns["is_init"]["writer"], "host")
        by_reward = LEARNS.replace('"replay/uniform"', '"replay/by_column"\ncolumn = "reward"')
        columns = {column["key"]: column for column in self.told(by_reward)["columns"]}
        self.assertEqual(columns["reward"]["readers"], ["objective", "buffer"])
        self.assertEqual(columns["action"]["readers"], ["objective"])

    def test_shards_say_what_an_exchange_costs_and_whether_it_pays(self):
        shards = ["--set", "run.shards=2"]
        loop = self.told(LEARNS, *shards)["loop"]
        weights = 4 * 8 + 16 + 8 * 2 + 16  # each parameter is as long as a multiple of 16 numbers
        self.assertIn("2 processes share this: each has 2 lanes", loop)
        self.assertIn(f"each sends {-(-4 * weights // 1000)} kB of gradients and waits for the slowest one", loop)
        self.assertIn("more processes make these updates slower", loop)
        share = float(re.search(r"By arithmetic from these times, 2 shards have ([\d.]+) % of the ideal speed, because", loop)[1])
        self.assertLess(share, 20)  # an update of 10 us, an exchange of 100
        # log2(16) messages of few bytes: 40 / (40 + 4), and 4 * 97 / 3
        self.assertIn("16 shards have 90.9 % where computing takes 40 times as long as an exchange between two, and 97 % where it takes 130 times "
                      "as long.", loop)  # fmt: skip
        self.assertIn("those of all shards: 16 bytes a step, which go with the gradients.", loop)  # two metrics
        ppo = (MANIFESTS / "ppo_cartpole.toml").read_text()
        loop = self.told(ppo, *shards, "--set", "objective.normalise_advantage=true")["loop"]
        # three metrics and a mean, and of a deviation two moments of each shard
        self.assertIn(f"{8 * (3 + 1 + 2 * 2)} bytes a step, in 1 message before the gradients and with these.", loop)
        self.assertIn("Each collected batch takes 1 message more", loop)
        large = ["--set", "policy.qvalue.hidden=[512,512]", "--set", "train.minibatch=512", "--set", "buffer.capacity=4_000"]
        loop = self.told(LEARNS, *shards, *large)["loop"]
        self.assertNotIn("slower", loop)
        self.assertIn("`tenon bench cluster MANIFEST` measures both", loop)
        self.assertIn("16 shards have 95.5 % where", loop)  # 2 * 15 / 16 messages
        self.assertNotIn("processes share", self.told(LEARNS)["loop"])

    def test_hooks_and_transforms_that_look_at_a_column_read_it(self):
        told = self.told(LEARNS + '\n[[hooks]]\nplugin = "hooks/histogram"\ncolumn = "next.reward"\n')
        self.assertEqual({column["key"]: column["readers"] for column in told["columns"]}["reward"], ["objective", "hooks.0"])
        transform = '\n[[env.transforms]]\nplugin = "standard/{}"\ncolumn = "observation"\n'
        learns = ["policy.qvalue", "objective"]
        for name, more in (("terminate", ["env.transforms.0"]), ("observation_scale", [])):
            told = self.told(LEARNS.replace("lanes = 4\n", "lanes = 4\n" + transform.format(name)))
            self.assertEqual({column["key"]: column["readers"] for column in told["columns"]}["observation"], learns + more)

    def test_stand_ins_say_what_stands_for_which_column(self):
        told = self.told((MANIFESTS / "her_bitflip.toml").read_text())["stand_ins"]
        self.assertEqual(told[2], {"column": "next.reward", "of": "goal.reward", "stored": True, "readers": ["dqn/dqn"]})
        text = self.explain((MANIFESTS / "her_bitflip.toml").read_text()).stdout
        self.assertIn("goal.reward   next.reward        stored, too  dqn/dqn", text)
        self.assertEqual(self.told(LEARNS)["stand_ins"], [])

    def test_a_sampler_reads_the_columns_that_it_names(self):
        columns = {column["key"]: column for column in self.told((MANIFESTS / "her_bitflip.toml").read_text())["columns"]}
        self.assertIn("buffer", columns["achieved_goal"]["readers"])
        self.assertNotIn("buffer", columns["observation"]["readers"])

    def test_networks_stages_schedules_and_memory(self):
        told = self.told(LEARNS)
        parameters = (4 * 8 + 8) + (8 * 2 + 2)
        (network,) = told["networks"]
        self.assertEqual(
            {key: network[key] for key in ("role", "component", "members", "parameters", "target", "frozen")},
            {
                "role": "qvalue",
                "component": "mlp/q_value",
                "members": 1,
                "parameters": parameters,
                "target": True,
                "frozen": False,
            },
        )
        self.assertGreaterEqual(network["bytes"], 5 * 4 * parameters)  # live, target, gradient, two moments
        (stage,) = told["stages"]
        self.assertEqual((stage["losses"], stage["owns"], stage["every"]), (["q"], ["qvalue"], 1))
        self.assertEqual(stage["optimiser"], "adam, lr 0.002")
        (schedule,) = told["schedules"]
        self.assertEqual(schedule["option"], "exploration.epsilon")
        self.assertIn("frames = 500", schedule["schedule"])
        self.assertEqual(told["memory"]["columns"], sum(column["bytes"] for column in told["columns"]))
        self.assertEqual(told["memory"]["networks"], network["bytes"])
        self.assertGreater(told["memory"]["minibatch"], 32 * (16 + 16))

    def test_versions_of_parameters_are_listed_and_counted(self):
        plain = self.told(BATCHES)["networks"]
        text = BATCHES.replace('"ppo/ppo"', '"ppo/ppo"\nreference_kl = 0.1') + "[collector]\nlag = 3\n"
        never = self.told(text)
        actor, value = never["networks"]
        self.assertEqual((actor["copies"], value["copies"]), (["reference", "behaviour"], []))
        slab = (actor["bytes"] - plain[0]["bytes"]) / 5  # the reference, what acts, and three versions that wait
        self.assertGreaterEqual(slab, 4 * actor["parameters"])
        self.assertLess(slab, 4 * actor["parameters"] + 64 * 6)
        self.assertIn("The parameters that act are those with which the round 3 rounds before began.", never["loop"])
        copied = self.explain(text + "[policy.actor.reference]\nevery = 100\n").stdout
        self.assertIn("reference every 100, behaviour", copied)

    def test_a_batch_that_is_learnt_from_as_a_whole(self):
        told = self.told(BATCHES)
        self.assertEqual(
            told["loop"],
            "Each round collects 64 frames (16 steps of 4 lanes), then learns from them, 3 times in minibatches of 16 "
            "rows, 2 per update; 16 rounds make 1000 frames.",
        )
        columns = {column["key"]: column for column in told["columns"]}
        for key in ("advantage", "value_target"):
            self.assertEqual((columns[key]["writer"], columns[key]["readers"]), ("objective", ["objective"]))
        self.assertEqual(columns["advantage"]["bytes"], (16 + 1) * 4 * 4)  # a slot more than steps

    def test_what_ends_a_run_early(self):
        at_return = ["--set", "run.stop_at_return=475"]
        self.assertTrue(
            self.told(LEARNS, *at_return)["loop"].endswith(
                " The run ends early once the mean return of the last 100 training episodes is at least 475."
            )
        )
        evaluated = self.told(LEARNS, *at_return, "--set", "eval.every_frames=100", "--set", "eval.patience=3")
        self.assertTrue(
            evaluated["loop"].endswith(
                " The run ends early once the mean return of an evaluation is at least 475, or after 3 evaluations in a row "
                "without a better mean return."
            )
        )
        self.assertTrue(
            self.told(LEARNS, "--set", "run.stop_at_episodes=30")["loop"].endswith(" The run ends early after 30 training episodes.")
        )

    def test_the_loop_in_a_sentence(self):
        self.assertEqual(
            self.told(LEARNS)["loop"],
            "Each round collects 64 frames (16 steps of 4 lanes), then makes 2 updates of 32 rows; 16 rounds make 1000 "
            "frames. The first 100 frames have random actions and no updates.",
        )
        self.assertIn(" and learns nothing; 1 round make", self.told(ACTS)["loop"].replace("rounds", "round"))
        told = self.told(
            LEARNS, "--set", "train.updates_per_batch=1", "--set", 'schedule."optimiser.lr"={ from = 1.0, to = 0.0, frames = 9 }'
        )
        self.assertIn("then makes 1 update of 32 rows", told["loop"])
        self.assertEqual(told["stages"][0]["optimiser"], "adam, lr by schedule")

    def test_a_capacity_in_bytes(self):
        # 16 B of observation twice, 8 of action, 4 of reward and 3 flags: 47 B a frame, 188 B a step of 4 lanes.
        told = self.told(LEARNS, "--set", "buffer.capacity=100 kB")
        self.assertIn(f" The 100 kB of the buffer hold {(100_000 // 188 - 1) * 4} frames.", told["loop"])
        self.assertEqual(told["memory"]["columns"], 100_000 // 188 * 188)
        self.assertLessEqual(told["memory"]["columns"], 100_000)

    def test_a_procedure_has_no_network(self):
        told = self.told(ACTS)
        self.assertEqual((told["networks"], told["stages"]), ([], []))
        columns = {column["key"]: column for column in told["columns"]}
        self.assertEqual(columns["observation"]["readers"], ["policy.actor"])
        self.assertEqual(columns["action"]["writer"], "policy.actor")

    def test_tables_for_people(self):
        lines = self.explain(LEARNS).stdout.splitlines()
        self.assertEqual(lines[0].split(), "COLUMN TYPE SHAPE WRITTEN BY READ BY PER ROW TOTAL".split())
        self.assertEqual(lines[1].split(), "observation float32 [4] env policy.qvalue, objective 16 B 12.9 kB".split())
        for head in ("NETWORK", "STAGE", "SCHEDULE", "Each round", "Memory: "):
            self.assertEqual(len([line for line in lines if line.startswith(head)]), 1, head)

    def test_how_categories_are_read(self):
        manifest = SYMBOLS.replace("FIXTURES", os.environ["FIXTURES"])
        for symbols, sizes in {"one": [5], "several": [2, 3], "even": [3, 3]}.items():
            with self.subTest(symbols):
                told = self.told(manifest.replace("SYMBOLS", symbols))
                self.assertEqual(
                    told["categories"], [{"column": "observation", "sizes": sizes, "read_as": ["number", "one-hot"]}]
                )
                parameters = {network["role"]: network["parameters"] for network in told["networks"]}
                self.assertEqual(parameters, {"actor": 4 * sum(sizes) + 4, "value": len(sizes) + 1})
        lines = self.explain(manifest.replace("SYMBOLS", "several")).stdout.splitlines()
        at = lines.index("CATEGORIES   SIZES  READ AS")
        self.assertEqual(lines[at + 1], "observation  2 x 3  number, one-hot")
        self.assertEqual(self.told(LEARNS)["categories"], [])

    def test_an_objective_may_have_parameters_of_its_own(self):
        told = self.told(OWNS)
        networks = {network["role"]: network for network in told["networks"]}
        self.assertEqual(networks["objective"]["component"], "sac/sac")
        self.assertFalse(networks["objective"]["frozen"])
        self.assertEqual(networks["objective"]["parameters"], 1)
        self.assertEqual(networks["qvalue"]["members"], 2)

    def test_a_program_is_shown_as_the_graph_that_it_is(self):
        lines = self.explain(LEARNS, "--graph", "mode").stdout.splitlines()
        self.assertRegex(lines[0], r"^%1: real \[L, 4\] = column/1\(\) key=\"observation\"")
        self.assertIn("stop_gradient", self.explain(LEARNS, "--graph", "update").stdout)
        refused = self.explain(LEARNS, "--graph", "updat", code=2)
        self.assertIn("the run has no program 'updat' (it has: act, mode, update)", refused.stderr)

    def test_sizes_between_filters(self):
        layers = [
            ("trunk", "0", "conv2d", [1, 10, 10], [16, 5, 5]),
            ("trunk", "1", "conv2d", [16, 5, 5], [32, 3, 3]),
            ("trunk", "2", "linear", [32 * 3 * 3], [64]),
        ]
        self.assertEqual([tuple(layer.values()) for layer in self.told(SEES)["layers"]], layers)
        lines = self.explain(SEES).stdout.splitlines()
        self.assertIn("LAYER OP INPUT OUTPUT".split(), [line.split() for line in lines])
        self.assertIn("trunk.1 conv2d [16, 5, 5] [32, 3, 3]".split(), [line.split() for line in lines])
        self.assertEqual(self.told(LEARNS)["layers"], [])
        impala = re.sub(r'cnn/convnet"(.|\n)*size = 64', 'cnn/impala"\nchannels = [4, 8]', SEES)
        pools = [layer for layer in self.told(impala)["layers"] if layer["op"] == "max_pool2d"]
        self.assertEqual([pool["gives"] for pool in pools], [[4, 5, 5], [8, 3, 3]])
        self.assertEqual({pool["network"] for pool in pools}, {"trunk"})

    def test_memories_say_whose_they_are_and_who_runs_them(self):
        columns = {column["key"]: column for column in self.told(REMEMBERS)["columns"]}
        actor, value = columns["actor.gru_hidden"], columns["value.gru_hidden"]
        self.assertEqual((actor["writer"], actor["readers"]), ("policy.actor", ["policy.actor", "objective"]))
        along = "policy.value (run while acting)"
        self.assertEqual((value["writer"], value["readers"]), (along, [along, "objective"]))

    def test_sequences_and_burn_in_are_in_the_loop(self):
        self.assertEqual(
            self.told(REMEMBERS)["loop"],
            "Each round collects 128 frames (32 steps of 4 lanes), then learns from them, 1 time in minibatches of 4 "
            "slices of 16 steps; 8 rounds make 1024 frames. Of each slice the first 4 steps are burn-in, which warms up memories; its losses do not count.",
        )
        lanes = self.told(REMEMBERS, "--set", "train.shuffle=lanes", "--set", "remove=train.slice_length")["loop"]
        self.assertIn("in minibatches of 2 lanes of 32 steps; ", lanes)
        self.assertIn(" Of each lane the first 4 steps are burn-in", lanes)
        zero = self.told(REMEMBERS, "--set", "train.initial_memory=zero")["loop"]
        self.assertIn(" Memories are zero where a slice begins.", zero)
        self.assertIn("of 4 sequences of 8 steps; ", self.told(SEES)["loop"])

    def test_a_stage_shows_whom_it_owns_where_the_objective_names_nobody(self):
        text = self.explain(BATCHES, "--graph", "update").stdout
        self.assertIn('stage "update" owns ["actor", "value"] every 1 update\n', text)

    def test_what_is_wrong_is_told_as_by_validate(self):
        run = self.explain(LEARNS.replace("hidden", "hiden"), code=2)
        self.assertEqual(run.stdout, "")
        self.assertIn("error: unknown key 'policy.qvalue.hiden'; did you mean 'hidden'?", run.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Worlds of several agents with PettingZoo's interfaces in gym/env. Stand-ins take the place of the packages (zoo_worlds.py); where
the tests' Python has mpe2, its simple_spread is compared too."""

import json
import subprocess

from worlds_case import HERE, PYTHON, Frames, WorldsCase, main

SPREAD = """
[run]
total_frames = 8
seed = 3
[env]
plugin = "small/Spread-v0"
lanes = 2
[policy.any]
plugin = "random/random"
[train]
batch = 8
"""
TICTACTOE = SPREAD.replace('small/Spread-v0"', 'small/TicTacToe-v0"\nopponent = "self"')

# Each agent's picture goes through filters, with weights of its own or shared ones.
PICTURES = """
[policy.trunk]
plugin = "cnn/convnet"
group = "agents"
in = ["observation.RGB"]
layout = "hwc"
channels = [4]
kernels = [2]
size = 16
[policy.actor]
plugin = "mlp/categorical"
group = "agents"
in = ["trunk.features"]
hidden = [16]
[policy.value]
plugin = "mlp/value"
group = "agents"
in = ["trunk.features"]
hidden = [16]
[objective]
plugin = "ppo/ppo"
group = "agents"
normalise_advantage = true
[optimiser]
lr = 0.03
"""

# Prints what is wrong with each of some environments.
DESCRIBE = """
import json, sys
sys.path.append("{here}")
from tenon_worker import environments
plain = dict(id="zoo_worlds:Comers", id_option="id", folder="", kwargs={{}}, vector="", action_mask="auto", infos=[], leave_out=[],
             groups={{}}, may_leave=True, turns="all", max_episode_steps=-1)
for more in json.loads(sys.argv[1]):
    config = dict(plain, **more)
    try:
        print(environments.describe(dict(config, name=config["id"])).lines())
    except Exception as error:
        print(error)
""".format(here=HERE)

# Packages of the same shape as vmas and torch: an environment counts its steps and ends after 3 and more of them.
TORCH = """
import numpy as np
class Tensor(np.ndarray):
    def numpy(self):
        return np.asarray(self)
def tensor(values, dtype=np.float32):
    return np.asarray(values, dtype).view(Tensor)
def from_numpy(array):
    return array.view(Tensor)
def set_num_threads(count):
    pass
"""
VMAS = """
import types
import numpy as np
import torch
from gymnasium import spaces
scenarios, mpe_scenarios, debug_scenarios = ["count"], [], []
def make_env(scenario, num_envs, terminated_truncated, max_steps=None, more=0):
    assert scenario == "count" and terminated_truncated
    return World(num_envs, max_steps, more)
class World:
    def __init__(self, count, max_steps, more):
        self.count, self.max_steps, self.more = count, max_steps, more
        self.agents = [types.SimpleNamespace(name=name) for name in ("ant_0", "bee_0", "ant_1")]
        self.observation_space = [spaces.Box(-np.inf, np.inf, (2,), np.float32)] * 3
        self.action_space = [spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(3), spaces.Box(-1, 1, (2,), np.float32)]
    def reset(self, seed=None):
        self.seed = self.seed if seed is None else seed
        self.steps, self.episodes = np.zeros(self.count), np.zeros(self.count)
        return self.seen()
    def reset_at(self, lane, return_observations):
        assert not return_observations
        self.steps[lane], self.episodes[lane] = 0, self.episodes[lane] + 1
    def get_from_scenario(self, get_observations, get_rewards, get_infos, get_dones):
        return [self.seen()]
    def seen(self):
        return [torch.tensor(np.stack([self.steps + 10 * agent, self.episodes], 1)) for agent in range(3)]
    def step(self, actions):
        assert [a.shape for a in actions] == [(self.count, 2), (self.count,), (self.count, 2)], actions
        self.steps += 1
        rewards = [torch.tensor(actions[0][:, 0]), torch.tensor(actions[1]), torch.tensor(self.steps + self.seed + self.more)]
        ends = self.steps >= 3 + np.arange(self.count)
        cut = self.steps >= (self.max_steps or 99)
        return self.seen(), rewards, torch.tensor(ends, bool), torch.tensor(cut, bool), None
"""
# Prints whether recorded frames of the scenario balance are those of a plain loop with its recorded actions.
BALANCE = """
import json, sys
import numpy as np, torch, vmas
data = open(sys.argv[1], "rb").read()
size = int.from_bytes(data[:8], "little")
def column(name):
    entry = json.loads(data[8 : 8 + size])[name]
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[8 + size + begin : 8 + size + end], {"F32": "f4", "BOOL": "?"}[entry["dtype"]]).reshape(entry["shape"])
actions, seen, rewards, ends = (column(n) for n in ("agents.action", "agents.observation", "agents.reward", "terminated"))
env, torch_ends = vmas.make_env("balance", 3, n_agents=3, max_steps=20, terminated_truncated=True), 0
now = env.reset(seed=7)
for step in range(len(rewards) - 1):
    assert all((seen[step, :, i] == now[i].numpy()).all() for i in range(3)), step
    now, reward, ended, cut, _ = env.step([torch.from_numpy(actions[step, :, i].copy()) for i in range(3)])
    assert all((rewards[step, :, i] == reward[i].numpy()).all() for i in range(3)), step
    assert (ends[step].ravel() == ended.numpy()).all(), step
    over = (ended | cut).nonzero().ravel().tolist()
    for lane in over:
        env.reset_at(lane, return_observations=False) if len(over) < 3 else None
    if over:
        now = env.reset() if len(over) == 3 else env.get_from_scenario(True, False, False, False)[0]
        torch_ends += len(over)
print(torch_ends)
"""


class Zoo(WorldsCase):
    def manifest(self, id, **more):
        path = super().manifest(id, **more)
        path.write_text(path.read_text().replace("[run]", "[run]\nseed = 3"))
        return path

    def record(self, manifest, frames):
        file = self.folder / (manifest.stem + ".safetensors")
        self.tenon("record", manifest, "--frames", frames, "--actions", "random", "--out", file)
        return Frames(file)

    def native(self, text, frames):
        path = self.folder / "native.toml"
        path.write_text(text)
        return self.record(path, frames)

    def spread_equals_the_native_one(self, id):
        native, steps = self.native(SPREAD, 120), 60
        seen, starts = native.numbers("agents.observation"), [[], []]
        for step in range(0, steps, 25):  # an episode has 25 steps
            for lane in range(2):
                at = (step * 2 + lane) * 54
                agents = [seen[at + 18 * i + 2 : at + 18 * i + 4] for i in range(3)]
                marks = [[seen[at + 4 + 2 * k + axis] + agents[0][axis] for axis in range(2)] for k in range(3)]
                starts[lane].append(agents + marks)
        file = self.folder / "starts.json"
        file.write_text(json.dumps(starts))
        kwargs = '{ starts = "%s", local_ratio = 0.5, max_cycles = 25 }' % file
        manifest = self.manifest(id, kwargs=kwargs, seed_offset=0, **self.WORKERS)
        mine = self.record(manifest, 120)
        self.assertEqual(mine.numbers("agents.action"), native.numbers("agents.action"))
        self.assertEqual(mine.numbers("truncated"), native.numbers("truncated"))
        self.assertEqual(sum(mine.numbers("truncated")), 4)
        self.assertEqual(mine.numbers("agents.terminated"), [False] * len(mine.numbers("agents.terminated")))
        for name in ("agents.observation", "agents.observation/final", "agents.reward", "reward", "state"):
            for a, b in zip(mine.numbers(name), native.numbers(name), strict=True):
                self.assertAlmostEqual(a, b, delta=2e-5, msg=name)

    def test_spread_of_the_same_shape_as_mpe2s_equals_the_native_one(self):
        self.spread_equals_the_native_one("zoo_worlds:Spread")

    def test_spread_of_mpe2_equals_the_native_one(self):
        if subprocess.run([PYTHON, "-c", "import mpe2"], capture_output=True).returncode:
            self.skipTest("%s has no mpe2" % PYTHON)
        self.spread_equals_the_native_one("zoo_worlds:mpe2_spread")

    def test_agents_that_come_late_die_and_leave(self):
        manifest = self.manifest("zoo_worlds:Comers")
        frames = self.record(manifest, 24)
        of = lambda name, lane_size: [frames.numbers(name)[i : i + lane_size] for i in range(0, 12 * lane_size * 2, 2 * lane_size)]
        there = [[[True, True], [False, True]], [[True, True], [True, True]], [[True, False], [True, True]],
                 [[True, False], [True, False]], [[True, False], [True, False]]]
        self.assertEqual(of("ant.present", 2)[:10], [ants for ants, _ in there] * 2)
        self.assertEqual(of("bee.present", 2)[:10], [bees for _, bees in there] * 2)
        self.assertEqual(frames.numbers("ant.present/final"), [True, False] * 4)  # who would have gone on
        self.assertEqual(frames.numbers("bee.present/final"), [True, False] * 4)
        dead = [[False, False], [False, True], [False, False], [False, False], [False, False]]
        self.assertEqual(of("ant.terminated", 2)[:10], dead * 2)
        self.assertEqual(of("ant.reward", 2)[:5], [[1, 1], [2, 2], [3, 0], [4, 0], [5, 0]])
        self.assertEqual(of("bee.reward", 2)[:5], [[0, 1.5], [2.5, 2.5], [3.5, 3.5], [4.5, 0], [5.5, 0]])
        self.assertAlmostEqual(of("reward", 1)[0][0], 3.5 / 3, places=6)  # the mean over those who acted
        self.assertEqual(of("truncated", 1)[:6], [[False]] * 4 + [[True], [False]])
        self.assertEqual(of("bee.observation", 6)[:4], [[0] * 3 + [1] * 3, [10] * 3 + [11] * 3, [20] * 3 + [21] * 3, [30] * 3 + [31] * 3])
        self.assertEqual(of("ant.observation.kind", 2)[:4], [[0, 0], [1, 1], [2, 2], [0, 0]])  # dead agents have zeros
        moved, actions = of("ant.observation.at", 4), of("ant.action", 4)
        self.assertEqual(moved[1], actions[0])
        self.assertEqual(moved[2], actions[1])  # the last observation of the one that dies
        self.assertEqual(moved[3], actions[2][:2] + [0, 0])

    def test_groups_by_patterns(self):
        said = self.tenon("explain", self.manifest("zoo_worlds:Comers", groups='{ flies = ["bee_*"], ants = "ant_?" }'))
        self.assertRegex(said, "flies.observation +uint8")
        said = self.tenon("explain", self.manifest("pettingzoo:zoo_worlds:Spread", groups='{ one = "agent_0", others = "agent_[12]" }'))
        self.assertRegex(said, r"others.observation +float32 +\[2, 18\]")

    def test_agents_that_stay_have_no_presence(self):
        said = self.tenon("explain", self.manifest("zoo_worlds:Spread", may_leave=False))
        self.assertNotIn("present", said)
        said = self.play("zoo_worlds:Comers", may_leave=False, code=2)
        self.assertIn("the agent 'bee_0' does not take part, while others do: leave out may_leave = false", said)

    def test_mistakes_are_found_before_anything_runs(self):
        said = self.tenon("validate", self.manifest("zoo_worlds:Comers", groups='{ ants = "ant_*" }'), code=2)
        self.assertRegex(said, r"option 'groups': the agent 'bee_0' is in no group: groups has 'ants'\n --> .*m.toml")
        cases = [
            (dict(id="pettingzoo:zoo_world"), "needs the module zoo_world, which"),
            (dict(id="zoo_worlds"), "no environment of gymnasium, but a module of PettingZoo: set id = \"pettingzoo:zoo_worlds\""),
            (dict(id="pettingzoo:zoo_worlds:Comer"), "has no function Comer"),
            (dict(id="pettingzoo:json"), "has none of the functions parallel_env, env, raw_env"),
            (dict(id="zoo_worlds:NoAgents"), "'zoo_worlds:NoAgents' has no list possible_agents: the columns of a run are fixed"),
            (dict(id="zoo_worlds:NobodyNamed"), "'zoo_worlds:NobodyNamed' has no list agents after reset"),
            (dict(groups={"all": "*_*"}),
             "the agents 'ant_0' and 'bee_0' of the group 'all' differ: observation.at is float32 [2], and observation is uint8 [3]"),
            (dict(groups={"a": "ant_*", "b": ["bee_*", "ant_1"]}), "the agent 'ant_1' is in the groups 'a' and 'b'"),
            (dict(groups={"a": "ants_*", "b": "bee_*"}), "the group 'a' has 'ants_*', which is no agent"),
            (dict(turns="mover"), "in 'zoo_worlds:Comers' all agents act at once: leave out turns"),
            (dict(infos=["x"]), "infos of several agents become no columns"),
            (dict(leave_out=["ant.observation.at", "ant.observation.kind"]), "leave_out leaves no observation of 'ant'"),
            (dict(action_mask="allowed"), "no agent has an info or an observation 'allowed' with one element an action"),
            (dict(id="zoo_worlds:AntsInTurns"), "the agent 'ant_0' has Box(-1.0, 1.0, (2,), float32), and agents that act in turns need"),
        ]
        done = subprocess.run([PYTHON, "-c", DESCRIBE, json.dumps([more for more, _ in cases])], capture_output=True, text=True,
                              env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        for (_, said), line in zip(cases, done.stdout.splitlines(), strict=True):
            self.assertIn(said, line)

    def test_an_agent_that_misbehaves_parks_its_lane(self):
        faults = {
            "unknown": "the agent 'wasp_0' takes part, and possible_agents of 'zoo_worlds:Comers' has only 'ant_0', 'ant_1'",
            "shape": "of the agent 'bee_0': its column 'observation' has the shape (4,), and should have (3,)",
            "part": "the observation of 'ant_0' lacks the part 'observation.kind' of its space",
            "unseen": "the agent 'ant_0' takes part and has no observation",
            "reward": "the reward of 'ant_0' is 'much', and should be one number",
        }
        kwargs = "{ faults = %s }" % json.dumps(list(faults))
        manifest = self.manifest("zoo_worlds:Comers", lanes=6, frames=192, seed_offset=0, kwargs=kwargs)
        output = self.tenon("run", manifest, "--out", self.folder / "out", "--quiet")
        for said in faults.values():
            self.assertIn(said, output)

    def test_agents_in_turns_wait_with_a_mask_of_one_action(self):
        frames = self.record(self.manifest("pettingzoo:zoo_worlds"), 80)
        masks, rewards, ends = frames.numbers("agents.action_mask"), frames.numbers("agents.reward"), frames.numbers("terminated")
        seen, actions, moved, games = frames.numbers("agents.observation"), frames.numbers("agents.action"), 0, 0
        for step in range(0, 80, 2):  # of the first lane
            mover, waits = moved % 2, 1 - moved % 2
            mask = [masks[step * 18 + 9 * who :][:9] for who in range(2)]
            self.assertEqual(mask[waits], [True] + [False] * 8)
            board = seen[step * 36 + 18 * mover :][:18]
            self.assertEqual(mask[mover], [board[2 * k] + board[2 * k + 1] == 0 for k in range(9)])
            self.assertEqual(actions[2 * step + waits], 0)
            self.assertEqual(sum(rewards[2 * step :][:2]), 0)
            self.assertIn(rewards[2 * step + mover], (0, 1) if ends[step] else (0,))
            moved, games = (0, games + 1) if ends[step] else (moved + 1, games)
        self.assertGreater(games, 2)

    def test_tic_tac_toe_by_turns_equals_the_native_one(self):
        native = self.native(TICTACTOE, 400)
        manifest = self.manifest("zoo_worlds:TicTacToe", turns="mover")
        mine = self.record(manifest, 400)
        for name in ("action", "action_mask", "turn", "reward", "terminated", "truncated"):
            self.assertEqual(mine.numbers(name), native.numbers(name), name)
        cells, squares = mine.numbers("observation"), native.numbers("observation")
        for row in range(0, len(cells), 18):
            self.assertEqual(cells[row : row + 18 : 2] + cells[row + 1 : row + 18 : 2], squares[row : row + 18])
        self.assertGreater(sum(mine.numbers("terminated")), 30)

    def test_one_reward_for_the_mover_has_to_tell_all(self):
        said = self.play("zoo_worlds:TicTacToe", turns="mover", kwargs="{ pays = 2 }", frames=400, code=3)
        self.assertIn("got a reward of -2 while", said)

    def test_the_interface_of_pymarl_which_smac_has(self):
        frames = self.record(self.manifest("zoo_worlds:Battle"), 80)
        of = lambda name, size: [frames.numbers(name)[i : i + size] for i in range(0, 80 * size, 2 * size)]  # of the first lane
        masks, seen, states, rewards = of("agents.action_mask", 8), of("agents.observation", 6), of("state", 2), of("reward", 1)
        actions, over, cut, step, always = of("agents.action", 2), of("terminated", 1), of("truncated", 1), 0, True
        for at in range(40):
            lives = step < 2
            self.assertEqual(masks[at], [False, True, True, True] + [not lives, lives, lives, lives])
            self.assertEqual((seen[at], states[at]), ([step, 0, 0.5] + ([step, 1, 0.5] if lives else [0, 0, 0]), [step, 7]))
            step, always = step + 1, always and actions[at][0] == 1
            won = always and step == 3
            self.assertEqual((rewards[at], over[at], cut[at]), ([step + 10 * won], [won], [step == 4]))
            step, always = (0, True) if won or step == 4 else (step, always)
        self.assertEqual(of("agents.reward", 2), [reward * 2 for reward in rewards])

    def test_the_interface_of_melting_pot(self):
        for discount, ends in ((1, "truncated"), (0, "terminated")):
            manifest = self.manifest("zoo_worlds:Substrate", kwargs="{ discount = %d.0 }" % discount)
            frames = self.record(manifest, 24)
            self.assertEqual(frames.numbers(ends)[:24:2], [step % 4 == 3 for step in range(12)])
            pictures = frames.numbers("agents.observation.RGB")[: 12 * 72 : 72]
            self.assertEqual(pictures, [10 * (step % 4) for step in range(12)])
            self.assertEqual(frames.numbers("agents.observation.READY_TO_SHOOT")[:3], [0, 1, 2])
            paid = [action + 0.25 * (i % 3) for i, action in enumerate(frames.numbers("agents.action"))]
            self.assertEqual(frames.numbers("agents.reward")[:72], paid[:72])

    def test_networks_of_a_group_read_pictures(self):
        """A step pays what each action's number is; of 4 steps, random actions get 8 and the best 16."""
        manifest = self.manifest("zoo_worlds:Substrate", frames=1_024)
        manifest.write_text(manifest.read_text().replace('[policy.any]\nplugin = "random/random"\n', PICTURES))
        for weights in ("shared", "own"):
            out = self.folder / weights
            self.tenon("run", manifest, "--out", out, "--quiet", "--set", f"policy.trunk.weights={weights}", "--set", "train.batch=128", "--set",
                       "run.executor=compiled")
            last = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()][-1]
            self.assertGreater(last["rollout/ep_rew_mean"], 11)

    def test_a_world_of_vmas_has_an_environment_for_each_lane(self):
        (self.folder / "torch.py").write_text(TORCH)
        (self.folder / "vmas.py").write_text(VMAS)
        manifest = self.manifest("vmas:count", lanes=3, seed_offset=40, max_episode_steps=4, kwargs="{ more = 2 }")
        frames = self.record(manifest, 30)
        of = lambda name, size, lane: [frames.numbers(name)[i : i + size] for i in range(lane * size, 30 * size, 3 * size)]
        for lane, limit in ((0, 3), (1, 4), (2, 4)):
            steps = [(t % limit, t // limit) for t in range(10)]
            self.assertEqual(of("ant.observation", 4, lane), [[n, e, 20 + n, e] for n, e in steps])
            self.assertEqual(of("state", 6, lane), [[n, e, 20 + n, e, 10 + n, e] for n, e in steps])
            self.assertEqual(of("terminated", 1, lane), [[lane < 2 and n == limit - 1] for n, _ in steps])
            self.assertEqual(of("truncated", 1, lane), [[lane == 2 and n == limit - 1] for n, _ in steps])
            for reward, action, (n, _) in zip(of("ant.reward", 2, lane), of("ant.action", 4, lane), steps):
                self.assertEqual(reward, [action[0], n + 1 + 42])
            self.assertEqual(of("bee.reward", 1, lane), of("bee.action", 1, lane))
        finals = frames.numbers("bee.observation/final")
        self.assertEqual(sorted(set(finals[::2])), [13, 14])
        said = self.tenon("validate", self.manifest("vmas:cuont"), code=2)
        self.assertIn("vmas has no scenario 'cuont'; did you mean 'count'?", said)
        said = self.tenon("validate", self.manifest("vmas:count", kwargs='{ device = "cpu" }'), code=2)
        self.assertIn("kwargs cannot have 'device', which the program chooses", said)

    def test_balance_of_vmas_equals_a_plain_loop(self):
        if subprocess.run([PYTHON, "-c", "import vmas"], capture_output=True).returncode:
            self.skipTest("%s has no vmas" % PYTHON)
        manifest = self.manifest("vmas:balance", lanes=3, seed_offset=7, max_episode_steps=20, kwargs="{ n_agents = 3 }")
        self.record(manifest, 300)
        file = self.folder / "m.safetensors"
        done = subprocess.run([PYTHON, "-c", BALANCE, file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stdout), 14)

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        manifest = self.manifest("zoo_worlds:Spread", frames=512)
        whole, half = self.folder / "whole", self.folder / "half"
        self.tenon("run", manifest, "--out", whole, "--quiet")
        self.tenon("run", manifest, "--out", half, "--quiet", "--set", "run.total_frames=256")
        self.tenon("run", "--resume", half, "--quiet", "--set", "run.total_frames=512")
        lines = [[json.loads(line) for line in (f / "metrics.jsonl").read_text().splitlines()] for f in (whole, half)]
        self.assertEqual(*[[line.get("rollout/mean_return") for line in each] for each in lines])


if __name__ == "__main__":
    main()

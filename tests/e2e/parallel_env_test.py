#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenon.ParallelEnv: native envs with groups keep the rules of PettingZoo's parallel interface. PettingZoo's own parallel_api_test,
and its api_test over turns made of it, run too, if the tests' Python has the package."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TENON = Path(os.environ["TENON"])
PYTHON = Path(os.environ.get("WORLDS_PYTHON", ROOT / ".deps/python/bin/python"))
RULES = """
import numpy as np, tenon
def walk(id, steps, **options):
    env, episodes, ends = tenon.ParallelEnv(id, **options), 0, {"dead": 0, "cut": 0}
    for seed in (1, None):
        seen, infos = env.reset(seed=seed)
        random = np.random.default_rng(3)
        for _ in range(steps):
            acted = env.agents
            assert set(acted) <= set(seen) and set(acted) <= set(env.possible_agents)
            for agent in acted:
                assert env.observation_space(agent).contains(seen[agent]), (agent, seen[agent])
            def choose(agent):
                mask = seen[agent]["action_mask"] if isinstance(seen[agent], dict) else None
                space = env.action_space(agent)
                return int(random.choice(np.flatnonzero(mask))) if mask is not None else random.integers(space.n)
            seen, rewards, dead, cut, infos = env.step({agent: choose(agent) for agent in acted})
            for by in (rewards, dead, cut):
                assert set(by) == set(acted), (by, acted)
            assert not any(dead[agent] and cut[agent] for agent in acted)
            assert not any((dead[agent] or cut[agent]) and agent in env.agents for agent in acted)
            ends["dead"] += sum(dead.values())
            ends["cut"] += sum(cut.values())
            if not env.agents:
                episodes += 1
                seen, infos = env.reset()
    env.close()
    return episodes, ends
print(walk("small/Spread-v0", 60))
print(walk("small/Hunt-v0", 120, prey="learnt"))
print(walk("small/Shifts-v0", 60, mask=True))
env = tenon.ParallelEnv("small/Spread-v0")
seen = env.reset(seed=5)[0]
assert (np.concatenate([seen[agent] for agent in env.agents]) == env.state()).all()
again = tenon.ParallelEnv("small/Spread-v0").reset(seed=5)[0]
assert all((seen[agent] == again[agent]).all() for agent in env.agents)
for _ in range(25):
    last, rewards, _, cut, _ = env.step({agent: 2 for agent in env.agents})
assert all(cut.values()) and env.agents == [] and (np.concatenate(list(last.values())) == env.state()).all()
try:
    tenon.ParallelEnv("classic/CartPole-v1")
except tenon.TenonError as error:
    print(error)
"""
API = """
import warnings
warnings.simplefilter("error")
import tenon
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils import parallel_to_aec
for id, options in (("small/Spread-v0", {}), ("small/Balance-v0", {}), ("small/Tag-v0", {"prey": "learnt"}),
                    ("small/Shifts-v0", {"mask": True, "comeback": 0.0})):
    parallel_api_test(tenon.ParallelEnv(id, **options), num_cycles=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of spaces without bounds, of agents that differ, and of dictionaries
        api_test(parallel_to_aec(tenon.ParallelEnv(id, **options)), num_cycles=100)
parallel_seed_test(lambda: tenon.ParallelEnv("small/Spread-v0"), num_cycles=30)
"""


def has(module):
    return PYTHON.exists() and subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


class ParallelEnv(unittest.TestCase):
    def setUp(self):
        if not has("gymnasium"):
            self.skipTest(f"there is no {PYTHON} with the module gymnasium; ./test brings it")
        self.folder = Path(tempfile.mkdtemp(prefix="tenon python "))
        self.addCleanup(shutil.rmtree, self.folder)
        package = shutil.copytree(ROOT / "host/python/tenon", self.folder / "tenon")
        for name in ("bin", "lib"):  # as in the wheel
            (package / name).symlink_to(TENON.parents[1] / name)

    def python(self, text):
        environment = dict(os.environ, PYTHONPATH=str(self.folder), PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([PYTHON, "-c", text], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "a library with sanitizers cannot be loaded by Python")
    def test_native_envs_keep_the_rules(self):
        said = self.python(RULES).splitlines()
        self.assertEqual(said[0], "(4, {'dead': 0, 'cut': 12})")
        for line in said[1:3]:
            self.assertRegex(line, r"\(\d, {'dead': [1-9]\d*, 'cut': [1-9]\d*}\)")
        self.assertEqual(said[3], "classic/CartPole-v1 has the action 'action', which is not one of a group of agents")

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "a library with sanitizers cannot be loaded by Python")
    def test_pettingzoos_own_tests_pass(self):
        if not has("pettingzoo"):
            self.skipTest(f"{PYTHON} has no pettingzoo")
        self.python(API)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main(verbosity=2)

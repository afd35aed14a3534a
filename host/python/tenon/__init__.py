# SPDX-License-Identifier: Apache-2.0
"""Tenon from Python: runs of the program inside this package, and what their folders hold.

>>> import tenon
>>> (tenon.manifests() / "dqn_cartpole.toml").is_file()
True
>>> import tempfile
>>> folder = tempfile.mkdtemp() + "/run"
>>> run = tenon.run(tenon.manifests() / "ppo_cartpole.toml", out=folder, run={"total_frames": 4096}, eval={"every_frames": 0})
>>> run.frames >= 4096
True
>>> metrics = tenon.read_metrics(run.folder)
>>> float(metrics["frames"][-1]) == run.frames
True
>>> policy = tenon.load_policy(run.folder, checkpoint="last")
>>> int(policy([0.0, 0.0, 0.1, 0.0])) in (0, 1)
True
>>> tenon.run("ppo", env="CartPole-v1", run={"total_frames": 2048}, eval={"every_frames": 0}).frames
2048
>>> tenon.run("ppo", "CartPole-v1", env={"lanes": 4}, run={"total_frames": 1024}, eval={"every_frames": 0}).frames
1024
>>> env = tenon.Env("classic/CartPole-v1", lanes=4)
>>> observation, _ = env.reset(seed=1)
>>> observation.shape
(4, 4)
>>> env.step(env.action_space.sample())[1].tolist()
[1.0, 1.0, 1.0, 1.0]
>>> env = tenon.ParallelEnv("small/Spread-v0")
>>> seen, _ = env.reset(seed=1)
>>> env.agents
['agents_0', 'agents_1', 'agents_2']
>>> seen["agents_2"].shape
(18,)
>>> seen, rewards, terminated, truncated, _ = env.step({agent: 1 for agent in env.agents})
>>> len(rewards), any(terminated.values()), any(truncated.values()), env.state().shape
(3, False, False, (54,))
"""

from ._metrics import read_metrics
from ._program import PROGRAM, manifests
from ._run import Run, TenonError, run

__all__ = ["PROGRAM", "Env", "ParallelEnv", "Policy", "Run", "TenonError", "load_policy", "manifests", "read_metrics", "run"]


def __getattr__(name):
    """What needs numpy or gymnasium is imported when it is first named."""
    if name == "Env":
        from ._env import Env

        return Env
    if name == "ParallelEnv":
        from ._parallel_env import ParallelEnv

        return ParallelEnv
    if name in ("Policy", "load_policy"):
        from . import _policy

        return getattr(_policy, name)
    raise AttributeError(f"module 'tenon' has no attribute '{name}'")

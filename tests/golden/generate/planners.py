# SPDX-License-Identifier: Apache-2.0
"""CEMPlanner and MPPIPlanner of TorchRL in the equations of Pendulum-v1 against plan/cem and plan/mppi with model/pendulum. Made with
torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/planners.py > tests/golden/planners.txt
"""

import sys
from pathlib import Path

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.data import Bounded, Composite, Unbounded
from torchrl.envs import ModelBasedEnvBase
from torchrl.modules.planners import CEMPlanner, MPPIPlanner

sys.path.insert(0, str(Path(__file__).parent / "objectives"))
from peer import Case  # noqa: E402

PLANS, HORIZON, ELITES, ITERATIONS = 12, 6, 4, 3


def step(state, action):
    cosine, sine, speed = state.unbind(-1)
    faster = (speed + (15.0 * sine + 3.0 * action[..., 0]) * 0.05).clamp(-8, 8)
    angle = torch.atan2(sine, cosine) + faster * 0.05
    return torch.stack([angle.cos(), angle.sin(), faster], -1)


def reward(state, action):
    cosine, sine, speed = state.unbind(-1)
    return -(torch.atan2(sine, cosine).square() + 0.1 * speed.square() + 0.001 * action[..., 0].square())[..., None]


class Equations(ModelBasedEnvBase):
    def __init__(self):
        # The reward is that of the state before the step.
        super().__init__(TensorDictSequential(
            TensorDictModule(reward, in_keys=["observation", "action"], out_keys=["reward"]),
            TensorDictModule(step, in_keys=["observation", "action"], out_keys=["observation"])))
        self.observation_spec = Composite(observation=Unbounded((3,), dtype=torch.float64))
        self.state_spec = Composite(observation=Unbounded((3,), dtype=torch.float64))
        self.action_spec = Bounded(-2.0, 2.0, (1,), dtype=torch.float64)
        self.reward_spec = Unbounded((1,), dtype=torch.float64)

    def _reset(self, tensordict):
        return tensordict


class Return(torch.nn.Module):
    """In place of an advantage, what a plan returns."""

    def forward(self, tensordict):
        of_plan = tensordict["next", "reward"].sum(-2, keepdim=True)
        tensordict["advantage"] = of_plan.expand_as(tensordict["next", "reward"])
        return tensordict


def run(name, seed, component, make, **options):
    case = Case(name, "test/WritesPlan", seed)
    case.lines.append(f"network actor plan/{component} 1")
    for key, value in {"horizon": HORIZON, "candidates": PLANS, "elites": ELITES, "iterations": ITERATIONS, "deviation": 0.5, **options}.items():
        case.lines.append(f"network_option actor {key} {value}")
    case.lines += ["network_option actor warm_start false", "network model model/pendulum 1"]
    angle = 3 * case.normal(case.rows)
    case.td = TensorDict({"observation": torch.stack([angle.cos(), angle.sin(), 2 * case.normal(case.rows)], -1)}, [case.rows])
    case.column("observation", "unbounded 3")
    case.column("action", "bounded -2 2", torch.zeros(case.rows, 1))
    draws, drawn = torch.randn, []

    def recorded(*shape, **_):
        drawn.append(draws(shape, generator=case.generator))
        return drawn[-1]

    torch.randn = recorded
    action = make(Equations()).planning(case.td.select("observation"))
    torch.randn = draws
    case.draw("test/WritesPlan.update/actor.mode/noise", torch.stack(drawn).permute(0, 2, 1, 4, 3))  # [iteration, plan, row, action, horizon]
    case.list("written plan", action)
    case.print([f"rows {case.rows}"])


sizes = {"planning_horizon": HORIZON, "optim_steps": ITERATIONS, "num_candidates": PLANS, "top_k": ELITES}
print("# torchrl 0.14.1, tensordict 0.14.3, torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/planners.py > tests/golden/planners.txt")
run("cem", 1, "cem", lambda env: CEMPlanner(env, **sizes))
run("mppi", 2, "mppi", lambda env: MPPIPlanner(env, Return(), temperature=0.3, **sizes), temperature=0.3)

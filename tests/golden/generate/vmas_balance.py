# SPDX-License-Identifier: Apache-2.0
"""Reference steps for plugins/envs/small: balance of the package vmas, from its state of each step to that of the next.

Made with vmas 1.5.2, in float32. Command, from the root of the repository:
    python tests/golden/generate/vmas_balance.py plugins/envs/small/golden/balance.txt
"""

import sys
from importlib.metadata import version

import torch
import vmas

ENVS = 64  # several, because vmas leaves out a pair of bodies if it is far apart in all of them
HEADER = f"""# steps of balance of vmas {version("vmas")}, 3 agents, continuous actions
# made by: python tests/golden/generate/vmas_balance.py plugins/envs/small/golden/balance.txt
# start: the goal, then the state: places and speeds of agents, of the package, of the line; its angle and spin
# other lines: actions, the reward, whether the episode has ended, the state, what the first agent sees"""


def text(*parts):
    return " ".join(f"{float(number):.9g}" for part in parts for number in part.reshape(-1))


def state(env, i):
    world, scenario = env.world, env.scenario
    bodies = [*world.agents, scenario.package, scenario.line]
    parts = [part[i] for body in bodies for part in (body.state.pos, body.state.vel)]
    return parts + [scenario.line.state.rot[i], scenario.line.state.ang_vel[i]]


with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(HEADER, file=file)
    env = vmas.make_env("balance", ENVS, n_agents=3, terminated_truncated=True)
    env.reset(seed=0)
    torch.manual_seed(0)
    shown = range(4)
    starts = [text(env.scenario.package.goal.state.pos[i], *state(env, i)) for i in shown]
    lines, over = [[] for _ in shown], [False for _ in shown]
    for step in range(30):
        lift = torch.tensor([0.0, 1.0 if step < 20 else -0.2])
        actions = [(lift + 0.8 * torch.randn(ENVS, 2)).clamp(-1, 1) for _ in range(3)]
        seen, rewards, ended, _, _ = env.step(actions)
        for i in shown:
            if not over[i]:
                acted = [action[i] for action in actions]
                lines[i].append(text(*acted, rewards[0][i], ended[i].float(), *state(env, i), seen[0][i]))
                over[i] = bool(ended[i])
    for start, rest in zip(starts, lines):
        print("start", start, file=file)
        print("\n".join(rest), file=file)

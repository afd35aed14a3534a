# SPDX-License-Identifier: Apache-2.0
"""Times TorchRL's and the environments' side of bench/agent_peers.py, a JSON object a line: {"make": NAME, "compiled": BOOL,
"seconds": S} answers with {"median_us", "min_us", "cpu_us"}, or {"left_out": why} for what torch.compile does not compile;
{"env": "vmas" or "mpe2", "envs": N, "seconds": S} with {"frames_per_cpu_s"}; {"version": true} with the version of TorchRL.

An update is that of TorchRL's sota-implementations/multiagent on `balance`: a minibatch of 4,096 frames of three agents, which is
already gathered; the loss, its gradient, clipping at 40, a step of Adam and, with targets, their soft update. Compiled is the loss,
with its gradient; torch.compile refuses the tanh that saturates safely, so both sides go without it.
"""

import json
import sys
import time
import warnings

import torch
import torchrl
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torchrl.data import Bounded, Categorical
from torchrl.modules import MultiAgentMLP, ProbabilisticActor, QMixer, QValueModule, SafeSequential, TanhDelta, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss, DDPGLoss, QMixerLoss, SoftUpdate, ValueEstimators

from torch_sequences_peer import times

ROWS, AGENTS, SEEN, MOVES, CHOICES, WIDTH = 4096, 3, 16, 2, 9, 256
kept = {}  # calls by what was wished, because compiling one takes long


def network(inputs, outputs, central):
    return MultiAgentMLP(n_agent_inputs=inputs, n_agent_outputs=outputs, n_agents=AGENTS, centralised=central, share_params=True,
                         depth=2, num_cells=WIDTH, activation_class=torch.nn.Tanh)  # fmt: skip


def frames(action, team_reward):
    """A minibatch of the recipe: ends and rewards are those of each agent, but with a mixer those of the team."""
    ends = torch.zeros(ROWS, 1, dtype=torch.bool)
    of_agents = torch.zeros(ROWS, AGENTS, 1, dtype=torch.bool)
    following = {"agents": {"observation": torch.randn(ROWS, AGENTS, SEEN), "reward": torch.randn(ROWS, AGENTS, 1),
                            "done": of_agents, "terminated": of_agents.clone()}, "done": ends, "terminated": ends.clone()}  # fmt: skip
    if team_reward:
        following["reward"] = torch.randn(ROWS, 1)
    return TensorDict({"agents": TensorDict({"observation": torch.randn(ROWS, AGENTS, SEEN), "action": action}, [ROWS, AGENTS]),
                       "next": following}, [ROWS])  # fmt: skip


def bounds():
    return {"low": torch.full((MOVES,), -1.0), "high": torch.full((MOVES,), 1.0)}


def mappo():
    actor = TensorDictModule(torch.nn.Sequential(network(SEEN, 2 * MOVES, False), NormalParamExtractor()), [("agents", "observation")],
                             [("agents", "loc"), ("agents", "scale")])  # fmt: skip
    policy = ProbabilisticActor(actor, in_keys=[("agents", "loc"), ("agents", "scale")], out_keys=[("agents", "action")],
                                distribution_class=TanhNormal, distribution_kwargs=bounds() | {"safe_tanh": False},
                                return_log_prob=True)  # fmt: skip
    critic = ValueOperator(network(SEEN, 1, True), in_keys=[("agents", "observation")])
    # with functional parameters, torch.compile compiles anew again and again
    loss = ClipPPOLoss(actor_network=policy, critic_network=critic, clip_epsilon=0.2, entropy_coeff=0.0, normalize_advantage=False,
                       functional=False)  # fmt: skip
    loss.set_keys(reward=("agents", "reward"), action=("agents", "action"), done=("agents", "done"), terminated=("agents", "terminated"))
    loss.make_value_estimator(ValueEstimators.GAE, gamma=0.9, lmbda=0.9)
    data = frames(torch.rand(ROWS, AGENTS, MOVES) * 1.8 - 0.9, False)
    data["agents", "action_log_prob"] = torch.full((ROWS, AGENTS), -1.0)
    data.update({"advantage": torch.randn(ROWS, AGENTS, 1),
                 "value_target": torch.randn(ROWS, AGENTS, 1), "state_value": torch.randn(ROWS, AGENTS, 1)})  # fmt: skip
    return loss, data, None


def qmix():
    spec = Categorical(CHOICES)
    values = TensorDictModule(network(SEEN, CHOICES, False), in_keys=[("agents", "observation")], out_keys=[("agents", "action_value")])
    chooser = QValueModule(action_value_key=("agents", "action_value"), spec=spec, action_space="categorical",
                           out_keys=[("agents", "action"), ("agents", "action_value"), ("agents", "chosen_action_value")])  # fmt: skip
    mixer = TensorDictModule(QMixer(state_shape=(AGENTS, SEEN), mixing_embed_dim=32, n_agents=AGENTS, device="cpu"),
                             in_keys=[("agents", "chosen_action_value"), ("agents", "observation")], out_keys=["chosen_action_value"])  # fmt: skip
    loss = QMixerLoss(SafeSequential(values, chooser), mixer, delay_value=True, action_space="categorical")
    loss.set_keys(action_value=("agents", "action_value"), local_value=("agents", "chosen_action_value"),
                  global_value="chosen_action_value", action=("agents", "action"))  # fmt: skip
    loss.make_value_estimator(ValueEstimators.TD0, gamma=0.9)
    return loss, frames(torch.randint(CHOICES, (ROWS, AGENTS)), True), SoftUpdate(loss, eps=0.995)


def maddpg():
    actor = TensorDictModule(network(SEEN, MOVES, False), in_keys=[("agents", "observation")], out_keys=[("agents", "param")])
    policy = ProbabilisticActor(actor, in_keys=[("agents", "param")], out_keys=[("agents", "action")], distribution_class=TanhDelta,
                                distribution_kwargs=bounds() | {"safe": False}, return_log_prob=False)  # fmt: skip
    critic = ValueOperator(network(SEEN + MOVES, 1, True), in_keys=[("agents", "observation"), ("agents", "action")],
                           out_keys=[("agents", "state_action_value")])  # fmt: skip
    loss = DDPGLoss(actor_network=policy, value_network=critic, delay_value=True)
    loss.set_keys(state_action_value=("agents", "state_action_value"), reward=("agents", "reward"), done=("agents", "done"),
                  terminated=("agents", "terminated"))  # fmt: skip
    loss.make_value_estimator(ValueEstimators.TD0, gamma=0.9)
    return loss, frames(torch.rand(ROWS, AGENTS, MOVES) * 1.8 - 0.9, False), SoftUpdate(loss, eps=0.995)


MAKERS = {"mappo": mappo, "qmix": qmix, "maddpg": maddpg}


def call_of(name, compiled):
    torch.manual_seed(0)
    loss, data, targets = MAKERS[name]()
    loss(data.copy())  # once eager, for what a loss makes at its first call
    parameters = [one for one in loss.parameters() if one.requires_grad]
    optimiser = torch.optim.Adam(parameters, 5e-5)

    torch.compiler.reset()  # what it has compiled for other losses counts towards its limit
    forward = torch.compile(loss, dynamic=False) if compiled else loss

    def update():
        out = forward(data.copy())
        sum(value for key, value in out.items() if key.startswith("loss")).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 40.0)
        optimiser.step()
        optimiser.zero_grad()
        if targets is not None:
            targets.step()

    for _ in range(3):  # torch.compile compiles again when gradients and targets are there
        update()
    return update


def update_time(wish):
    key = (wish["make"], wish["compiled"])
    try:
        kept[key] = kept.get(key) or call_of(*key)
    except Exception as failure:  # whatever a compiler says
        if not wish["compiled"]:
            raise
        return {"left_out": " ".join(str(failure).split())[:200]}
    return times(kept[key], wish["seconds"])


def stepper(wish):
    """A function that makes one step in all envs, with random actions, and begins episodes again."""
    if wish["env"] == "vmas":
        import vmas

        env = vmas.make_env("balance", num_envs=wish["envs"], device="cpu", continuous_actions=True, n_agents=AGENTS, max_steps=100)
        env.reset()

        def step():
            ends = env.step([env.get_random_action(agent) for agent in env.agents])[2]
            for number in torch.nonzero(ends).flatten().tolist():
                env.reset_at(number)

        return step
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(max_cycles=25)
    env.reset(seed=0)

    def step():
        env.step({agent: int(torch.randint(5, ())) for agent in env.agents})
        if not env.agents:
            env.reset()

    return step


def env_speed(wish):
    key = (wish["env"], wish["envs"])
    step = kept[key] = kept.get(key) or stepper(wish)
    step()
    steps, used, first = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() - first < wish["seconds"]:
        step()
        steps += 1
    return {"frames_per_cpu_s": steps * wish["envs"] / (time.process_time() - used)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for line in sys.stdin:
        wish = json.loads(line)
        answer = torchrl.__version__ if "version" in wish else env_speed(wish) if "env" in wish else update_time(wish)
        print(json.dumps(answer), flush=True)

# SPDX-License-Identifier: Apache-2.0
"""Losses of TorchRL for groups of agents: MAPPOLoss, IPPOLoss and their MultiAgentGAE against ppo/ppo, DDPGLoss with a critic of all
agents (MADDPG) against ddpg/ddpg with mlp/joint_q, and SACLoss whose agents have critics of their own view against sac/sac. Its
temperature is fixed, because TorchRL's is one for all agents and ours is one for each. Made with torchrl 0.14.1, tensordict 0.14.3,
torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/several_agents.py > tests/golden/objectives/several_agents.txt
"""

import torch
from peer import Case, Squash, Split, header
from tensordict import TensorDict
from tensordict.nn import InteractionType, TensorDictModule
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import DDPGLoss, SACLoss
from torchrl.objectives.multiagent import IPPOLoss, MAPPOLoss

GAMMA, LAMBDA = 0.95, 0.8
AGENTS, OBSERVATION, ACTIONS, STATE = 3, 4, 5, 6
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
NAME = "agents"


def key(*parts):
    return (NAME, *parts)


def for_agents(case, *roles):
    case.lines += [f"group {NAME} {AGENTS}", f"objective_group {NAME}", *(f"network_group {role} {NAME}" for role in roles)]


def transitions(case, own_rewards=False):
    """What each agent observes and the state of all; the reward is that of each agent or of all. Ends are of all."""
    rows = case.rows
    terminated, truncated = case.flags(0.3, rows, 1), case.flags(0.3, rows, 1)
    agents = lambda **more: TensorDict({"observation": case.normal(rows, AGENTS, OBSERVATION), **more}, [rows, AGENTS])  # noqa: E731
    rewards = {"reward": 2 * case.normal(rows, AGENTS, 1)} if own_rewards else {}
    case.td = TensorDict({
        NAME: agents(), "state": case.normal(rows, STATE),
        "next": {NAME: agents(**rewards), "state": case.normal(rows, STATE), "reward": 2 * case.normal(rows, 1), "terminated": terminated,
                 "truncated": truncated, "done": terminated | truncated}}, batch_size=[rows])
    for name, spec in ((f"{NAME}.observation", f"unbounded {AGENTS} {OBSERVATION}"), ("state", f"unbounded {STATE}")):
        case.column(name, spec)
        case.column("next." + name, spec)
    case.column(f"next.{NAME}.reward" if own_rewards else "next.reward", "unbounded")
    for flag in ("terminated", "truncated", "done"):
        case.column(f"next.{flag}", "binary")
    return case.td


class Shared(torch.nn.Module):
    """One value for all agents, as a central critic gives it."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers

    def forward(self, state):
        return self.body(state)[..., None, :].expand(*state.shape[:-1], AGENTS, 1)


def ppo_case(name, seed, central, own_rewards, rows=11, **options):
    case = Case(name, "ppo/ppo", seed, rows=rows, **options)
    case.network("actor", "mlp/categorical", "actor_network")
    scores = TensorDictModule(case.layers(OBSERVATION, ACTIONS), in_keys=[key("observation")], out_keys=[key("logits")])
    actor = ProbabilisticActor(scores, in_keys=[key("logits")], out_keys=[key("action")], distribution_class=torch.distributions.Categorical,
                               default_interaction_type=InteractionType.RANDOM, return_log_prob=True)
    case.network("value", "mlp/value", "critic_network", **({"in_": ["state"]} if central else {}))
    layers = case.layers(STATE if central else OBSERVATION, 1)
    critic = TensorDictModule(Shared(layers) if central else layers, in_keys=["state" if central else key("observation")],
                              out_keys=[key("state_value")])
    for_agents(case, "actor", *([] if central else ["value"]))
    td = transitions(case, own_rewards)
    case.column(f"{NAME}.action", f"categorical {ACTIONS}", torch.randint(ACTIONS, (rows, AGENTS), generator=case.generator))
    return case, actor, critic, td


def names_of(loss, own_rewards):
    loss.set_keys(action=key("action"), value=key("state_value"), advantage=key("advantage"), value_target=key("value_target"),
                  sample_log_prob=key("log_prob"), **({"reward": key("reward")} if own_rewards else {}))


def ppo(name, seed, of, central, own_rewards=False, normalise=True):
    case, actor, critic, td = ppo_case(name, seed, central, own_rewards, clip_epsilon=0.15, value_coefficient=0.5, entropy_coefficient=0.05,
                                       normalise_advantage=normalise)
    with torch.no_grad():
        log_prob = actor.get_dist(td).log_prob(td[key("action")]) + 0.2 * case.normal(case.rows, AGENTS)
        advantage = case.normal(case.rows, AGENTS, 1)
        target = critic(td.clone())[key("state_value")] + 0.3 * case.normal(case.rows, AGENTS, 1) + advantage
    for column, values in (("log_prob", log_prob), ("advantage", advantage), ("value_target", target)):
        case.column(f"{NAME}.{column}", "unbounded", values)
    loss = of(actor, critic, clip_epsilon=0.15, entropy_coeff=0.05, critic_coeff=0.5, normalize_advantage=normalise)
    names_of(loss, own_rewards)
    case.begin(loss)
    out = loss(td)
    case.list("metric clip_fraction", out["clip_fraction"])
    case.finish(loss, {"update": ({"policy": out["loss_objective"], "value": out["loss_critic"], "entropy": out["loss_entropy"]},
                                  ["actor", "value"])})


def advantages(name, seed, of, central, own_rewards=False, steps=9, lanes=3):
    """By MultiAgentGAE; TorchRL's batch is [lanes, time]."""
    case, actor, critic, td = ppo_case(name, seed, central, own_rewards, rows=steps * lanes, gamma=GAMMA, lambda_=LAMBDA)
    loss = of(actor, critic)
    if own_rewards:  # whose ends are expected beside them
        for flag in ("terminated", "done"):
            td["next", NAME, flag] = td["next", flag][:, None].expand(-1, AGENTS, 1)
        loss.set_keys(done=key("done"), terminated=key("terminated"))
    names_of(loss, own_rewards)
    loss.make_value_estimator(gamma=GAMMA, lmbda=LAMBDA)
    case.begin(loss)
    batch = td.reshape(steps, lanes).transpose(0, 1).contiguous()
    loss.value_estimator(batch, params=loss.critic_network_params.detach(), target_params=loss.critic_network_params)
    for column in ("advantage", "value_target"):
        values = batch[key(column)].transpose(0, 1)  # [time, lanes, agents, 1]
        if central:  # the same for all agents, which ours writes once
            assert (values == values[:, :, :1]).all()
        case.list(f"written {column}" if central else f"written {NAME}.{column}", values[:, :, :1] if central else values)
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


def bounded_actions(case):
    low, high = torch.tensor(LOW), torch.tensor(HIGH)
    unit = 0.9 * (2 * case.uniform(case.rows, AGENTS, len(LOW)) - 1)
    case.column(f"{NAME}.action", "bounded " + " ".join(str(x) for x in LOW + HIGH), low + (unit + 1) / 2 * (high - low))


class Joint(torch.nn.Module):
    """The value of the state and of the actions of all agents: first the first number of each."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers

    def forward(self, state, action):
        return self.body(state, action.transpose(-1, -2).flatten(-2))


def maddpg(name, seed, activation="tanh"):
    case = Case(name, "ddpg/ddpg", seed, activation=activation, gamma=GAMMA, target_actor=True, loss="l2")
    case.network("actor", "mlp/deterministic", "actor_network")
    actor = TensorDictModule(Squash(case.layers(OBSERVATION, len(LOW)), LOW, HIGH), in_keys=[key("observation")], out_keys=[key("action")])
    case.network("qvalue", "mlp/joint_q", "value_network", in_=["state"])
    critic = ValueOperator(Joint(case.layers(STATE + AGENTS * len(LOW), 1)), in_keys=["state", key("action")],
                           out_keys=["state_action_value"])
    for_agents(case, "actor")
    td = transitions(case)
    bounded_actions(case)
    loss = DDPGLoss(actor, critic, loss_function="l2", delay_actor=True, delay_value=True)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    out = loss(td)
    case.list("metric q_value", out["pred_value"].mean())
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square
    case.finish(loss, {"critic": ({"critic.q": out["loss_value"]}, ["qvalue"]), "actor": ({"actor.gain": out["loss_actor"]}, ["actor"])},
                moved=["actor", "qvalue"])


def sac(name, seed, activation="tanh"):
    case = Case(name, "sac/sac", seed, activation=activation, gamma=GAMMA, alpha=0.3, learn_alpha=False, loss="l2")
    case.network("actor", "mlp/tanh_normal", "actor_network")
    both = TensorDictModule(Split(case.layers(OBSERVATION, 2 * len(LOW))), in_keys=[key("observation")], out_keys=[key("loc"), key("scale")])
    actor = ProbabilisticActor(both, in_keys=[key("loc"), key("scale")], out_keys=[key("action")], distribution_class=TanhNormal,
                               distribution_kwargs={"low": torch.tensor(LOW), "high": torch.tensor(HIGH)},
                               default_interaction_type=InteractionType.RANDOM, return_log_prob=True)
    case.network("qvalue", "mlp/q", "qvalue_network", 2)
    critic = ValueOperator(case.layers(OBSERVATION + len(LOW), 1), in_keys=[key("observation"), key("action")],
                           out_keys=[key("state_action_value")])
    for_agents(case, "actor", "qvalue")
    td = transitions(case, own_rewards=True)
    for flag in ("terminated", "done"):
        td["next", NAME, flag] = td["next", flag][:, None].expand(-1, AGENTS, 1)
    bounded_actions(case)
    loss = SACLoss(actor, critic, num_qvalue_nets=2, alpha_init=0.3, fixed_alpha=True, target_entropy=0.0, action_spec=None, loss_function="l2")
    loss.set_keys(action=key("action"), state_action_value=key("state_action_value"), reward=key("reward"), done=key("done"),
                  terminated=key("terminated"), log_prob=key("action_log_prob"), priority=key("td_error"))
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    case.list("live objective log_alpha", loss.log_alpha.expand(AGENTS))
    of_agents = lambda each: lambda drawn: case.draw(f"sac/sac.update/actor.sample{each}/random_normal", drawn.transpose(0, 1))  # noqa: E731
    with case.draws(of_agents(""), of_agents("#1")):  # ours draws agent by agent
        out = loss(td)
    case.priority(td[key("td_error")].reshape(case.rows, AGENTS).mean(-1))
    case.list("metric entropy", out["entropy"])
    case.finish(loss, {"critic": ({"critic.q": out["loss_qvalue"]}, ["qvalue"]), "actor": ({"actor.gain": out["loss_actor"]}, ["actor"])},
                moved=["qvalue"])


header("several_agents")
ppo("mappo", 1, MAPPOLoss, central=True)
ppo("mappo_plain", 2, MAPPOLoss, central=True, normalise=False)
ppo("ippo", 3, IPPOLoss, central=False, own_rewards=True)
advantages("mappo_prepare", 4, MAPPOLoss, central=True)
advantages("ippo_prepare", 5, IPPOLoss, central=False)
advantages("ippo_prepare_own", 6, IPPOLoss, central=False, own_rewards=True)
maddpg("maddpg", 7)
sac("sac", 8)

# SPDX-License-Identifier: Apache-2.0
"""QMixerLoss of TorchRL against qmix/qmix. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/qmix.py > tests/golden/objectives/qmix.txt
"""

import torch
from peer import DISTANCES, Case, header
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.modules import QMixer, QValueModule, SafeSequential, VDNMixer
from torchrl.objectives import QMixerLoss

GAMMA = 0.9
AGENTS, OBSERVATION, ACTIONS, STATE, HIDDEN = 3, 4, 5, 6, 2


def actor(case):
    case.network("qvalue", "mlp/q_value", "local_value_network")
    case.lines.append("network_group qvalue agents")
    names = [("agents", name) for name in ("action", "action_value", "chosen_action_value")]
    values = TensorDictModule(case.layers(OBSERVATION, ACTIONS), in_keys=[("agents", "observation")], out_keys=names[1:2])
    return SafeSequential(values, QValueModule(action_value_key=names[1], out_keys=names, action_space="categorical"))


def mixer(case, kind):
    module = (QMixer(state_shape=(STATE,), mixing_embed_dim=HIDDEN, n_agents=AGENTS, device="cpu") if kind == "qmix"
              else VDNMixer(n_agents=AGENTS, device="cpu"))
    case.lines.append(f"network mixer mixer/{kind} 1")
    if kind == "qmix":
        case.lines.append(f"network_option mixer size {HIDDEN}")
    case.roles.append(("mixer", "mixer_network"))
    keys = [("agents", "chosen_action_value"), *(["state"] if kind == "qmix" else [])]
    return TensorDictModule(module, in_keys=keys, out_keys=["chosen_action_value"])


def transitions(case):
    rows = case.rows
    terminated = case.flags(0.3, rows, 1)
    case.td = TensorDict({
        "agents": TensorDict({"observation": case.normal(rows, AGENTS, OBSERVATION)}, [rows, AGENTS]),
        "state": case.normal(rows, STATE),
        "next": {"agents": TensorDict({"observation": case.normal(rows, AGENTS, OBSERVATION)}, [rows, AGENTS]),
                 "state": case.normal(rows, STATE), "reward": 2 * case.normal(rows, 1), "terminated": terminated,
                 "done": terminated}}, batch_size=[rows])
    for key, spec in (("agents.observation", f"unbounded {AGENTS} {OBSERVATION}"), ("state", f"unbounded {STATE}")):
        case.column(key, spec)
        case.column("next." + key, spec)
    case.column("next.reward", "unbounded")
    case.column("next.terminated", "binary")
    case.column("agents.action", f"categorical {ACTIONS}",
                torch.randint(ACTIONS, (rows, AGENTS), generator=case.generator))
    return case.td


def run(name, seed, kind, distance, activation="tanh"):
    # TorchRL's loss lets the target network choose the next actions, and its priority is the squared error
    case = Case(name, "qmix/qmix", seed, activation=activation, gamma=GAMMA, double=False, loss=distance)
    case.lines += [f"group agents {AGENTS}", "objective_group agents"]
    local, mixes = actor(case), mixer(case, kind)
    td = transitions(case)
    loss = QMixerLoss(local, mixes, loss_function=DISTANCES[distance], delay_value=True, action_space="categorical")
    loss.make_value_estimator(gamma=GAMMA)
    loss.delay_local = loss.delay_mixer = True  # what delay_value means for both
    case.begin(loss)
    out = loss(td)
    case.priority(td["td_error"].sqrt())
    case.list("metric td_error", td["td_error"].sqrt().mean())
    moved = ["qvalue", *(["mixer"] if kind == "qmix" else [])]  # a sum has no parameters
    case.finish(loss, {"update": ({"q": out["loss"]}, moved)}, moved=moved)


header("qmix")
run("monotonic_l2", 1, "qmix", "l2")
run("monotonic_huber", 2, "qmix", "huber", activation="relu")
run("sum_l2", 3, "vdn", "l2")

# SPDX-License-Identifier: Apache-2.0
"""CrossQLoss of TorchRL, with and without its BatchRenorm1d, against crossq/crossq. Made with torchrl 0.14.1,
tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/crossq.py > tests/golden/objectives/crossq.txt
"""

import torch
from peer import DISTANCES, Case, header, leaves
from torchrl.objectives import CrossQLoss

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
DRAWS = ("crossq/crossq.update/actor.sample/random_normal", "crossq/crossq.update/actor.sample#1/random_normal")


def run(name, seed, norm="batch_renorm", warm_up=1, before=0, alpha=0.5, learnt=True, distance="huber",
        activation="tanh"):
    case = Case(name, "crossq/crossq", seed, activation=activation, gamma=GAMMA, alpha=alpha, learn_alpha=learnt,
                target_entropy=-0.7, loss=distance)
    actor = case.tanh_normal(3, LOW, HIGH)
    critic = case.q(3, len(LOW), count=2, norm=norm, warm_up=warm_up)
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    loss = CrossQLoss(actor, critic, num_qvalue_nets=2, alpha_init=alpha, fixed_alpha=not learnt,
                      target_entropy=-0.7 * len(LOW), action_spec=None,
                      loss_function=DISTANCES[distance])
    loss.make_value_estimator(gamma=GAMMA)
    with torch.no_grad():
        for key, value in leaves(loss.qvalue_network_params):
            if "running_mean" in key:
                value += 0.3 * case.normal(*value.shape)
            elif "running_var" in key:
                value *= 0.3 + case.uniform(*value.shape)
            elif key.endswith("updates"):
                value += before
            elif key.startswith("norm"):
                value += 0.2 * case.normal(*value.shape)
    case.begin(loss, own={"log_alpha": "log_alpha"})
    buffers = [value for _, value in leaves(loss.qvalue_network_params) if not isinstance(value, torch.nn.Parameter)]
    start = [value.clone() for value in buffers]
    with case.draws(*DRAWS):
        critics, seen = loss.qvalue_loss(td)
        # in TorchRL the actor sees the moments as the critics' pass has left them, in ours as of the start of the update
        moved = [value.clone() for value in buffers]
        put(buffers, start)
        gain, seen_by_actor = loss.actor_loss(td)
        put(buffers, moved)
    case.priority(seen["td_error"])
    log_prob = seen_by_actor["log_prob"]
    stages = {"critic": ({"critic.q": critics}, ["qvalue"]), "actor": ({"actor.gain": gain}, ["actor"])}
    if learnt:
        stages["temperature"] = ({"temperature.alpha": loss.alpha_loss(log_prob, td)}, ["objective"])
    case.list("metric entropy", -log_prob.mean())
    for key, value in leaves(loss.qvalue_network_params):
        if key.endswith("updates"):
            # TorchRL means to stop counting here, and does not: its correction would grow beyond the whole of it
            value.clamp_(max=warm_up)
    case.finish(loss, stages)


def put(buffers, values):
    for buffer, value in zip(buffers, values):
        buffer.copy_(value)


header("crossq")
run("plain", 1, norm="none")
run("layer_norm", 2, norm="layer", activation="relu", distance="l2")
run("warming_up", 3, warm_up=5, before=2)
run("renormalised", 4, warm_up=3, before=3, learnt=False)

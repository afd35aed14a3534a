# SPDX-License-Identifier: Apache-2.0
"""ClipPPOLoss of TorchRL, and its GAE, against ppo/ppo. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/ppo.py > tests/golden/objectives/ppo.txt
"""

import torch
from peer import Case, header
from torchrl.objectives import ClipPPOLoss

ACTIONS = 4
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def run(name, seed, normalise=False, clip_value=0.0, distance="huber", entropy=0.01, continuous=False, masked=False):
    case = Case(name, "ppo/ppo", seed, rows=11, clip_epsilon=0.15, value_coefficient=0.5, entropy_coefficient=entropy,
                normalise_advantage=normalise, clip_value=clip_value, value_loss=distance)
    actor = case.tanh_normal(3, LOW, HIGH) if continuous else case.categorical(3, ACTIONS)
    critic = case.value(3)
    td = case.transitions()
    if continuous:
        case.bounded_action(LOW, HIGH)
    else:
        case.categorical_action(ACTIONS)
    advantage = case.normal(case.rows, 1)
    case.column("advantage", "unbounded", advantage)
    with torch.no_grad():
        # the policy that acted differs a little from the one that learns: some ratios are clipped, others are not
        log_prob = actor.get_dist(td).log_prob(td["action"]) + 0.2 * case.normal(case.rows)
        td["state_value"] = critic(td.clone())["state_value"] + 0.3 * case.normal(case.rows, 1)
    case.column("log_prob", "unbounded", log_prob)
    td["action_log_prob"] = log_prob
    # ours takes the old value to be target - advantage, which is what GAE makes of it
    case.column("value_target", "unbounded", td["state_value"] + advantage)
    td["value_target"] = td["value_target"]
    if masked:
        case.mask(0.6)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.15, entropy_coeff=entropy, critic_coeff=0.5,
                       normalize_advantage=normalise, clip_value=clip_value or None,
                       loss_critic_type={"huber": "smooth_l1", "l2": "l2"}[distance])
    case.begin(loss)
    with case.draws(*["ppo/ppo.update/actor.entropy/random_normal"] * continuous):
        out = loss(td)
    case.finish(loss, {"update": ({"policy": out["loss_objective"], "value": out["loss_critic"],
                                   "entropy": out["loss_entropy"]}, ["actor", "value"])})


def prepare(name, seed, steps, lanes, gamma, lmbda):
    case = Case(name, "ppo/ppo", seed, rows=steps * lanes, gamma=gamma, lambda_=lmbda)
    actor, critic = case.categorical(3, ACTIONS), case.value(3)
    td = case.transitions()
    case.categorical_action(ACTIONS)
    loss = ClipPPOLoss(actor, critic)
    loss.make_value_estimator(gamma=gamma, lmbda=lmbda)
    case.begin(loss)
    # our rows are time first, TorchRL's [lanes, time]
    batch = td.reshape(steps, lanes).transpose(0, 1).contiguous()
    loss.value_estimator(batch, params=loss.critic_network_params.detach(), target_params=loss.critic_network_params)
    case.list("written advantage", batch["advantage"].transpose(0, 1))
    case.list("written value_target", batch["value_target"].transpose(0, 1))
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


header("ppo")
run("plain", 1)
run("normalised", 2, normalise=True, entropy=0.05)
run("value_clipped", 3, clip_value=0.2)
run("value_clipped_l2", 4, clip_value=0.2, distance="l2", normalise=True)
run("l2_no_entropy", 5, distance="l2", entropy=0.0)
run("masked", 6, masked=True)
prepare("prepare", 20, 9, 3, 0.97, 0.9)
prepare("prepare_one_step", 21, 6, 2, 0.9, 0.0)

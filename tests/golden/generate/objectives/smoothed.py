# SPDX-License-Identifier: Apache-2.0
"""What the generators of td3 and td3_bc share."""

import torch
from peer import DISTANCES, Case

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def run_case(name, objective, made, seed, actor_terms, more=None, component="mlp/tanh_normal", critics=2,
             noise=0.2, clip=0.5, distance="huber", activation="tanh", delay=2, updates=0):
    more = more or {}
    case = Case(name, objective, seed, activation=activation, gamma=GAMMA, policy_noise=noise, noise_clip=clip,
                loss=distance, policy_delay=delay, **more)
    actor = case.one_action(3, LOW, HIGH, component)
    critic = case.q(3, len(LOW), count=critics)
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    low, high = torch.tensor(LOW), torch.tensor(HIGH)
    # our noise counts halves of the range between the bounds
    half = (high - low) / 2
    loss = made(actor, critic, bounds=(low, high), num_qvalue_nets=critics, policy_noise=noise * half,
                noise_clip=clip * half, loss_function=DISTANCES[distance], delay_actor=True, delay_qvalue=True, **more)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    with case.draws(f"{objective}.update/random_normal"):
        out = loss(td)
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square
    case.list("metric q_value", out["pred_value"].mean())
    stages = {"critic": ({"critic.q": out["loss_qvalue"]}, ["qvalue"])}
    moved = ["qvalue"]
    if updates % delay == 0:
        stages["actor"] = (actor_terms(out), ["actor"])
        moved.append("actor")
    case.finish(loss, stages, moved=moved, updates=updates)

# SPDX-License-Identifier: Apache-2.0
"""REDQLoss of TorchRL against redq/redq. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/redq.py > tests/golden/objectives/redq.txt
"""

import torch
from peer import DISTANCES, Case, header
from torchrl.objectives import REDQLoss

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def run(name, seed, critics=4, subset=2, alpha=0.5, learnt=True, distance="huber", activation="tanh", actor_every=1,
        updates=0):
    case = Case(name, "redq/redq", seed, activation=activation, gamma=GAMMA, alpha=alpha, learn_alpha=learnt,
                target_entropy=-0.7, subset=subset, loss=distance, actor_every=actor_every)
    actor = case.tanh_normal(3, LOW, HIGH)
    critic = case.q(3, len(LOW), count=critics)
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    loss = REDQLoss(actor, critic, num_qvalue_nets=critics, sub_sample_len=subset, alpha_init=alpha,
                    fixed_alpha=not learnt, target_entropy=-0.7 * len(LOW), action_spec=None,
                    loss_function=DISTANCES[distance])
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss, own={"log_alpha": "log_alpha"})

    # ours takes the critics of the smallest of uniform numbers, TorchRL's the first ones of a permutation
    order = torch.randperm(critics, generator=case.generator)
    uniform = torch.empty(critics)
    uniform[order] = (torch.arange(critics) + 0.5) / critics
    case.draw("redq/redq.update/subset", uniform)

    def split(values):  # one draw for the states and for the states after them
        case.draw("redq/redq.update/actor.sample#1/random_normal", values[0])
        case.draw("redq/redq.update/actor.sample/random_normal", values[1])

    randperm = torch.randperm
    torch.randperm = lambda n: order
    with case.draws(split):
        out = loss(td)
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square
    torch.randperm = randperm

    # TorchRL takes the mean over critics, we the sum: a critic learns as fast whatever the number of the others
    stages = {"critic": ({"critic.q": critics * out["loss_qvalue"]}, ["qvalue"])}
    if updates % actor_every == 0:
        stages["actor"] = ({"actor.gain": out["loss_actor"]}, ["actor"])
        if learnt:
            # TorchRL's temperature learns from the states after as well, and by exp(log_alpha); the paper's code from
            # the states that the actor learns from, by log_alpha
            excess = out["action_log_prob_actor"].mean() + loss.target_entropy
            stages["temperature"] = ({"temperature.alpha": -loss.log_alpha * excess}, ["objective"])
    case.list("metric alpha", out["alpha"])
    case.finish(loss, stages, moved=["qvalue"], updates=updates)


header("redq")
run("two_of_four", 1)
run("one_of_three", 2, critics=3, subset=1, activation="relu", distance="l2")
run("all", 3, critics=3, subset=3, learnt=False)
run("actor_rests", 4, actor_every=2, updates=1)

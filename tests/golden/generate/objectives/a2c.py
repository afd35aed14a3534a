# SPDX-License-Identifier: Apache-2.0
"""A2CLoss of TorchRL, its GAE and vtrace_advantage_estimate, against a2c/a2c. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/a2c.py > tests/golden/objectives/a2c.txt
"""

import torch
from on_policy import finish_update, losses, prepare_case, prepare_gae, update_case
from peer import DISTANCES, header
from torchrl.objectives import A2CLoss
from torchrl.objectives.value import functional


def run(name, seed, distance="huber", entropy=0.01, head="categorical"):
    case, actor, critic, td = update_case(name, "a2c/a2c", seed, head, value_coefficient=0.5,
                                          entropy_coefficient=entropy, value_loss=distance)
    loss = A2CLoss(actor, critic, entropy_coeff=entropy, critic_coeff=0.5, loss_critic_type=DISTANCES[distance])
    out = losses(case, loss, td, "a2c/a2c", head)
    case.list("metric entropy", out["entropy"])
    finish_update(case, loss, out)


def prepare_vtrace(name, seed, steps, lanes, gamma, rho_max, c_max):
    """A batch of another policy's steps. Each lane goes on where it was unless an episode ends: v(s_(t+1)) is the value
    of the next row, which TorchRL takes from there. Its class VTrace is no peer: it takes the log-probabilities of
    actions that it draws anew, not of the batch's."""
    case, actor, critic, td = prepare_case(name, "a2c/a2c", seed, steps, lanes, gamma=gamma, estimator="vtrace",
                                           rho_max=rho_max, c_max=c_max)
    shape = (steps, lanes, -1)
    ahead, done = td["next", "observation"].reshape(shape), td["next", "done"].reshape(shape)
    ahead[:-1] = torch.where(done[:-1], ahead[:-1], td["observation"].reshape(shape)[1:])
    case.replace("next.observation", ahead.reshape(steps * lanes, -1))
    with torch.no_grad():
        log_pi = actor.get_dist(td).log_prob(td["action"])
        log_mu = log_pi + 0.5 * case.normal(case.rows)
        value, next_value = critic(td.clone())["state_value"], critic(td["next"].clone())["state_value"]
    case.column("log_prob", "unbounded", log_mu)
    case.begin(A2CLoss(actor, critic))
    advantage, target = functional.vtrace_advantage_estimate(
        gamma, *(each.reshape(shape) for each in (log_pi, log_mu, value, next_value, td["next", "reward"], td["next", "done"],
                                                  td["next", "terminated"])), rho_max, c_max, time_dim=0)
    case.list("written advantage", advantage)
    case.list("written value_target", target)
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


header("a2c")
run("plain", 1)
run("l2", 2, distance="l2", entropy=0.1)
run("tanh_normal", 3, head="tanh_normal", entropy=0.05)
run("normal", 4, head="normal", entropy=0.05)
prepare_gae("prepare", "a2c/a2c", A2CLoss, 20, 9, 3, 0.97, 0.9)
prepare_vtrace("prepare_vtrace", 21, 9, 3, 0.97, 1.0, 1.0)
prepare_vtrace("prepare_vtrace_clipped", 22, 12, 2, 0.9, 1.2, 0.7)

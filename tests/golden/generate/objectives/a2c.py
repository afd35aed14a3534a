# SPDX-License-Identifier: Apache-2.0
"""A2CLoss of TorchRL, its GAE and vtrace_advantage_estimate, against a2c/a2c. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/a2c.py > tests/golden/objectives/a2c.txt
"""

from on_policy import finish_update, losses, prepare_all, prepare_gae, prepare_vtrace, update_case
from peer import DISTANCES, header
from torchrl.objectives import A2CLoss


def run(name, seed, distance="huber", entropy=0.01, head="categorical"):
    case, actor, critic, td = update_case(name, "a2c/a2c", seed, head, value_coefficient=0.5,
                                          entropy_coefficient=entropy, value_loss=distance)
    loss = A2CLoss(actor, critic, entropy_coeff=entropy, critic_coeff=0.5, loss_critic_type=DISTANCES[distance])
    out = losses(case, loss, td, "a2c/a2c", head)
    case.list("metric entropy", out["entropy"])
    finish_update(case, loss, out)


header("a2c")
run("plain", 1)
run("l2", 2, distance="l2", entropy=0.1)
run("l1", 5, distance="l1")
run("tanh_normal", 3, head="tanh_normal", entropy=0.05)
run("normal", 4, head="normal", entropy=0.05)
prepare_gae("prepare", "a2c/a2c", A2CLoss, 20, 9, 3, 0.97, 0.9)
prepare_vtrace("prepare_vtrace_even", "a2c/a2c", A2CLoss, 21, 9, 3, 0.97, 1.0, 1.0)
prepare_vtrace("prepare_vtrace_clipped", "a2c/a2c", A2CLoss, 22, 12, 2, 0.9, 1.2, 0.7)
prepare_all("a2c/a2c", A2CLoss)

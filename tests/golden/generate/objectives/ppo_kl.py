# SPDX-License-Identifier: Apache-2.0
"""KLPENPPOLoss of TorchRL against ppo/kl. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/ppo_kl.py > tests/golden/objectives/ppo_kl.txt
"""

from on_policy import ACTIONS, update_case
from peer import DISTANCES, header
from torchrl.objectives import KLPENPPOLoss


def run(name, seed, beta=1.5, head="categorical", normalise=False, distance="huber", entropy=0.01):
    case, actor, critic, td = update_case(name, "ppo/kl", seed, head, beta=beta, value_coefficient=0.5,
                                          entropy_coefficient=entropy, normalise_advantage=normalise,
                                          value_loss=distance)
    # the policy that acted
    if head == "categorical":
        td["logits"] = case.normal(case.rows, ACTIONS)
        case.column("action_logits", f"unbounded {ACTIONS}", td["logits"])
    else:
        td["loc"], td["scale"] = case.normal(case.rows, 2), 0.5 + case.uniform(case.rows, 2)
        case.column("action_loc", "unbounded 2", td["loc"])
        case.column("action_scale", "unbounded 2", td["scale"])
    # TorchRL moves the penalty's weight in each minibatch, and before the loss is differentiated, so that the gradient
    # is of another weight than the loss; ours and the paper's moves after a batch's last epoch
    loss = KLPENPPOLoss(actor, critic, beta=beta, increment=1.0, decrement=1.0, entropy_coeff=entropy,
                        critic_coeff=0.5, normalize_advantage=normalise, loss_critic_type=DISTANCES[distance])
    case.begin(loss, own={"beta": "beta"})
    out = loss(td)
    # TorchRL has one loss of the two; which of them is differentiated makes no difference
    penalty = beta * out["kl"].mean()
    case.list("metric kl", out["kl"].mean())
    case.list("state objective beta", beta)
    case.finish(loss, {"update": ({"policy": out["loss_objective"] - penalty, "kl": penalty,
                                   "value": out["loss_critic"], "entropy": out["loss_entropy"]}, ["actor", "value"])})


header("ppo_kl")
run("categorical", 1)
run("normal", 2, head="normal", distance="l2", entropy=0.05)
run("normalised", 3, beta=0.4, normalise=True)

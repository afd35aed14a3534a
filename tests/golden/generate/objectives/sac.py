# SPDX-License-Identifier: Apache-2.0
"""SACLoss of TorchRL (its second version, without a value network) against sac/sac. Made with torchrl 0.14.1,
tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/sac.py > tests/golden/objectives/sac.txt
"""

from peer import DISTANCES, Case, header
from torchrl.objectives import SACLoss

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
DRAWS = ("sac/sac.update/actor.sample/random_normal", "sac/sac.update/actor.sample#1/random_normal")


def run(name, seed, critics=2, alpha=0.5, learnt=True, target_entropy=-1.0, activation="tanh", distance="huber"):
    case = Case(name, "sac/sac", seed, activation=activation, gamma=GAMMA, alpha=alpha, learn_alpha=learnt,
                target_entropy=target_entropy, loss=distance)
    actor = case.tanh_normal(3, LOW, HIGH)
    critic = case.q(3, len(LOW), count=critics)
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    # our option is for each element of the action
    loss = SACLoss(actor, critic, num_qvalue_nets=critics, alpha_init=alpha, fixed_alpha=not learnt,
                   target_entropy=target_entropy * len(LOW), action_spec=None, loss_function=DISTANCES[distance])
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss, own={"log_alpha": "log_alpha"})
    with case.draws(*DRAWS):
        out = loss(td)
    stages = {"critic": ({"critic.q": out["loss_qvalue"]}, ["qvalue"]),
              "actor": ({"actor.gain": out["loss_actor"]}, ["actor"])}
    if learnt:
        stages["temperature"] = ({"temperature.alpha": out["loss_alpha"]}, ["objective"])
    case.priority(td["td_error"])
    case.list("metric alpha", out["alpha"])
    case.list("metric entropy", out["entropy"])
    case.finish(loss, stages, moved=["qvalue"])


header("sac")
run("two_critics", 1)
run("three_critics", 2, critics=3, activation="relu")
run("fixed_temperature", 3, learnt=False, alpha=0.2)
run("other_entropy", 4, target_entropy=-0.3, alpha=2.0, activation="silu")
run("l2", 5, distance="l2")
run("l1", 6, distance="l1")

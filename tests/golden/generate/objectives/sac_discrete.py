# SPDX-License-Identifier: Apache-2.0
"""DiscreteSACLoss of TorchRL against sac/discrete. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/sac_discrete.py > tests/golden/objectives/sac_discrete.txt
"""

from peer import Case, header
from tensordict.nn import TensorDictModule
from torchrl.objectives import DiscreteSACLoss

GAMMA = 0.95
ACTIONS = 4


def run(name, seed, critics=2, alpha=0.5, learnt=True, weight=0.98, activation="tanh"):
    case = Case(name, "sac/discrete", seed, activation=activation, gamma=GAMMA, alpha=alpha, learn_alpha=learnt,
                target_entropy_weight=weight)
    actor = case.categorical(3, ACTIONS)
    case.network("qvalue", "mlp/q_value", "qvalue_network", critics)
    critic = TensorDictModule(case.layers(3, ACTIONS), in_keys=["observation"], out_keys=["action_value"])
    td = case.choices(ACTIONS)
    loss = DiscreteSACLoss(actor, critic, action_space="categorical", num_actions=ACTIONS, num_qvalue_nets=critics,
                           alpha_init=alpha, fixed_alpha=not learnt, target_entropy_weight=weight)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss, own={"log_alpha": "log_alpha"})
    out = loss(td)
    case.priority(td["td_error"])
    stages = {"critic": ({"critic.q": out["loss_qvalue"]}, ["qvalue"]),
              "actor": ({"actor.gain": out["loss_actor"]}, ["actor"])}
    if learnt:
        stages["temperature"] = ({"temperature.alpha": out["loss_alpha"]}, ["objective"])
    case.list("metric alpha", out["alpha"])
    case.list("metric entropy", out["entropy"])
    case.finish(loss, stages, moved=["qvalue"])


header("sac_discrete")
run("two_critics", 1, weight=0.9)
run("three_critics", 2, critics=3, activation="relu", weight=0.5)
run("fixed_temperature", 3, learnt=False, alpha=0.2)

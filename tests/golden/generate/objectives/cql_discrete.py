# SPDX-License-Identifier: Apache-2.0
"""DiscreteCQLLoss of TorchRL against cql/discrete. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/cql_discrete.py > tests/golden/objectives/cql_discrete.txt
"""

from peer import DISTANCES, Case, header
from torchrl.objectives import DiscreteCQLLoss

GAMMA = 0.9
ACTIONS = 4


def run(name, seed, weight=1.0, distance="l2", activation="tanh"):
    case = Case(name, "cql/discrete", seed, activation=activation, gamma=GAMMA, cql_weight=weight, double=False,
                loss=distance)
    network = case.q_value(3, ACTIONS)
    td = case.choices(ACTIONS)
    loss = DiscreteCQLLoss(network, loss_function=DISTANCES[distance], delay_value=True, action_space="categorical")
    loss.make_value_estimator(gamma=GAMMA)
    # TorchRL hands its target's parameters to the estimator under a name that the estimator does not know, and so
    # bootstraps from the live network, with a gradient through it; given as the estimator means it, it is DQN's target
    estimate = loss.value_estimator.value_estimate
    loss.value_estimator.value_estimate = lambda td, params: estimate(td, target_params=params)
    case.begin(loss)
    out = loss(td)
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square
    # its conservative term has no weight
    case.finish(loss, {"update": ({"q": out["loss_qvalue"], "cql": weight * out["loss_cql"]}, ["qvalue"])},
                moved=["qvalue"])


header("cql_discrete")
run("plain", 1)
run("weighted_huber", 2, weight=0.3, distance="huber", activation="relu")

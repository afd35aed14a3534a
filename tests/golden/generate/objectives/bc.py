# SPDX-License-Identifier: Apache-2.0
"""BCLoss of TorchRL against bc/bc. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/bc.py > tests/golden/objectives/bc.txt
"""

from peer import DISTANCES, Case, header
from tensordict.nn import TensorDictModule
from torchrl.objectives import BCLoss

ACTIONS = 4
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def likelihood(name, seed, continuous):
    case = Case(name, "bc/bc", seed)
    if continuous:
        actor = case.tanh_normal(3, LOW, HIGH)
    else:
        # TorchRL takes the cross-entropy of whole actions and of scores that the actor writes under the action's name
        case.network("actor", "mlp/categorical", "actor_network")
        actor = TensorDictModule(case.layers(3, ACTIONS), in_keys=["observation"], out_keys=["action"])
    td = case.transitions()
    if continuous:
        case.bounded_action(LOW, HIGH)
    else:
        case.categorical_action(ACTIONS)
    loss = BCLoss(actor)
    case.begin(loss)
    case.finish(loss, {"update": ({"clone": loss(td)["loss_bc"]}, ["actor"])})


def distance(name, seed, kind):
    case = Case(name, "bc/bc", seed, loss=kind)
    actor = case.one_action(3, LOW, HIGH, "mlp/tanh_normal")
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    loss = BCLoss(actor, loss_function=DISTANCES[kind])
    case.begin(loss)
    case.finish(loss, {"update": ({"clone": loss(td)["loss_bc"]}, ["actor"])})


header("bc")
likelihood("tanh_normal", 1, True)
likelihood("categorical", 2, False)
distance("l2", 3, "l2")
distance("huber", 4, "huber")

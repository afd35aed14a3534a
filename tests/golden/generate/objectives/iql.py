# SPDX-License-Identifier: Apache-2.0
"""IQLLoss and DiscreteIQLLoss of TorchRL against iql/iql. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0
(CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/iql.py > tests/golden/objectives/iql.txt
"""

from peer import DISTANCES, Case, header
from tensordict.nn import TensorDictModule
from torchrl.objectives import DiscreteIQLLoss, IQLLoss

GAMMA = 0.95
ACTIONS = 4
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def run(name, seed, critics=2, expectile=0.7, temperature=1.0, distance="huber", activation="tanh", discrete=False):
    case = Case(name, "iql/iql", seed, activation=activation, gamma=GAMMA, expectile=expectile,
                temperature=temperature, loss=distance)
    if discrete:
        actor = case.categorical(3, ACTIONS)
        case.network("qvalue", "mlp/q_value", "qvalue_network", critics)
        critic = TensorDictModule(case.layers(3, ACTIONS), in_keys=["observation"], out_keys=["state_action_value"])
    else:
        actor = case.tanh_normal(3, LOW, HIGH)
        critic = case.q(3, len(LOW), count=critics)
    value = case.value(3, attribute="value_network")
    td = case.transitions()
    settings = dict(num_qvalue_nets=critics, loss_function=DISTANCES[distance], temperature=temperature,
                    expectile=expectile)
    if discrete:
        case.categorical_action(ACTIONS)
        loss = DiscreteIQLLoss(actor, critic, value, action_space="categorical", **settings)
    else:
        case.bounded_action(LOW, HIGH)
        loss = IQLLoss(actor, critic, value, **settings)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    out = loss(td)
    case.priority(td["td_error"].sqrt())  # TorchRL's is the square
    case.finish(loss, {"value": ({"value.expectile": out["loss_value"]}, ["value"]),
                       "critic": ({"critic.q": out["loss_qvalue"]}, ["qvalue"]),
                       "actor": ({"actor.clone": out["loss_actor"]}, ["actor"])}, moved=["qvalue"])


header("iql")
run("plain", 1)
run("steep", 2, expectile=0.9, temperature=5.0, activation="relu", distance="l2")
run("three_critics", 3, critics=3, expectile=0.5)
run("discrete", 4, discrete=True)
run("discrete_steep", 5, discrete=True, expectile=0.8, temperature=3.0, distance="l2")

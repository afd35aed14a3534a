# SPDX-License-Identifier: Apache-2.0
"""DDPGLoss of TorchRL against ddpg/ddpg. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/ddpg.py > tests/golden/objectives/ddpg.txt
"""

from peer import DISTANCES, Case, header
from torchrl.objectives import DDPGLoss

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]


def run(name, seed, actor_component="mlp/tanh_normal", target_actor=True, distance="l2", activation="tanh"):
    case = Case(name, "ddpg/ddpg", seed, activation=activation, gamma=GAMMA, target_actor=target_actor, loss=distance)
    actor = case.one_action(3, LOW, HIGH, actor_component)
    critic = case.q(3, len(LOW), attribute="value_network")
    td = case.transitions()
    case.bounded_action(LOW, HIGH)
    loss = DDPGLoss(actor, critic, loss_function=DISTANCES[distance], delay_actor=target_actor, delay_value=True)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    out = loss(td)
    case.list("metric q_value", out["pred_value"].mean())
    # TorchRL's priority is the square of the error; ours is its magnitude, as in Schaul et al. 2016
    case.priority(td["td_error"].sqrt())
    case.list("metric td_error", td["td_error"].sqrt().mean())
    case.finish(loss, {"critic": ({"critic.q": out["loss_value"]}, ["qvalue"]),
                       "actor": ({"actor.gain": out["loss_actor"]}, ["actor"])},
                moved=["actor", "qvalue"] if target_actor else ["qvalue"])


header("ddpg")
run("plain", 1)
run("huber", 2, distance="huber", activation="relu")
run("l1", 5, distance="l1")
run("live_actor", 3, target_actor=False)
run("deterministic", 4, actor_component="mlp/deterministic")

# SPDX-License-Identifier: Apache-2.0
"""TQCLoss of TorchRL against tqc/tqc. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/tqc.py > tests/golden/objectives/tqc.txt
"""

from peer import Case, header
from torchrl.modules import ValueOperator
from torchrl.objectives import TQCLoss

GAMMA = 0.95
LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
DRAWS = ("tqc/tqc.update/actor.sample/random_normal", "tqc/tqc.update/actor.sample#1/random_normal")


def run(name, seed, critics=3, quantiles=5, drop=2, alpha=0.5, learnt=True, activation="tanh", steps=1):
    case = Case(name, "tqc/tqc", seed, activation=activation, gamma=GAMMA, alpha=alpha, learn_alpha=learnt,
                target_entropy=-0.7, drop=drop)
    actor = case.tanh_normal(3, LOW, HIGH)
    case.network("qvalue", "mlp/q_quantiles", "qvalue_network", critics, quantiles=quantiles)
    critic = ValueOperator(case.layers(3 + len(LOW), quantiles), in_keys=["observation", "action"])
    td = case.transitions(reward=4.0)
    case.bounded_action(LOW, HIGH)
    if steps > 1:
        case.several_steps(steps, GAMMA)
    # our target entropy is for each element of the action
    loss = TQCLoss(actor, critic, num_qvalue_nets=critics, top_quantiles_to_drop_per_net=drop, alpha_init=alpha,
                   fixed_alpha=not learnt, target_entropy=-0.7 * len(LOW), action_spec=None)
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


header("tqc")
run("three_critics", 1)
run("none_dropped", 2, critics=2, quantiles=4, drop=0, activation="relu")
run("one_critic", 3, critics=1, quantiles=6, drop=1, learnt=False, alpha=0.2)
run("three_steps", 4, steps=3)

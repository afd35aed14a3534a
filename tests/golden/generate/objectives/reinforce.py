# SPDX-License-Identifier: Apache-2.0
"""ReinforceLoss of TorchRL, with TD(1) returns and with rewards to go, against reinforce/reinforce. Made with torchrl
0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/reinforce.py > tests/golden/objectives/reinforce.txt
"""

from on_policy import finish_prepare, prepare_by, prepare_case, prepare_vtrace, update_case
from peer import DISTANCES, header
from torchrl.objectives import ReinforceLoss, ValueEstimators
from torchrl.objectives.value.functional import reward2go


def run(name, seed, distance="huber", head="categorical"):
    # TorchRL's has no entropy bonus and no weight of the value loss
    case, actor, critic, td = update_case(name, "reinforce/reinforce", seed, head, entropy_coefficient=0.0,
                                          value_loss=distance)
    loss = ReinforceLoss(actor, critic, loss_critic_type=DISTANCES[distance])
    case.begin(loss)
    out = loss(td)
    if head == "tanh_normal":
        # ours draws for an entropy that counts nothing
        case.draw("reinforce/reinforce.update/actor.sample/random_normal", case.normal(case.rows, 2))
    case.finish(loss, {"update": ({"policy": out["loss_actor"], "value": out["loss_value"],
                                   "entropy": 0 * out["loss_actor"]}, ["actor", "value"])})


def prepare(name, seed, steps, lanes, gamma):
    case, actor, critic, _ = prepare_case(name, "reinforce/reinforce", seed, steps, lanes, gamma=gamma)
    loss = ReinforceLoss(actor, critic)
    loss.make_value_estimator(ValueEstimators.TD1, gamma=gamma)
    case.begin(loss)
    finish_prepare(case, loss, steps, lanes)


def rewards_to_go(name, seed, steps, lanes, gamma):
    case, actor, critic, td = prepare_case(name, "reinforce/reinforce", seed, steps, lanes, gamma=gamma, baseline=False)
    loss = ReinforceLoss(actor, critic)
    case.begin(loss)
    batch = td.reshape(steps, lanes).transpose(0, 1).contiguous()
    # TorchRL's wants each lane's last step to be an end
    done = batch["next", "done"].clone()
    done[:, -1] = True
    case.list("written advantage", reward2go(batch["next", "reward"], done, gamma).transpose(0, 1))
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


header("reinforce")
run("baseline", 1)
run("baseline_l2", 2, distance="l2")
run("tanh_normal", 3, head="tanh_normal")
prepare("prepare", 20, 9, 3, 0.97)
rewards_to_go("rewards_to_go", 21, 9, 3, 0.97)
prepare_by("gae", "prepare_gae", "reinforce/reinforce", ReinforceLoss, 22, 9, 3, 0.97, 0.9)
prepare_by("gae", "prepare_whole", "reinforce/reinforce", ReinforceLoss, 23, 9, 3, 0.97, 0.9, whole=True)
prepare_by("td_lambda", "prepare_td_lambda", "reinforce/reinforce", ReinforceLoss, 24, 9, 3, 0.97, 0.8)
prepare_by("td0", "prepare_td0", "reinforce/reinforce", ReinforceLoss, 25, 9, 3, 0.97)
prepare_vtrace("prepare_vtrace", "reinforce/reinforce", ReinforceLoss, 26, 9, 3, 0.97, 1.1, 0.9)

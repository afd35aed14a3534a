# SPDX-License-Identifier: Apache-2.0
"""TD3BCLoss of TorchRL against td3_bc/td3_bc. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/td3_bc.py > tests/golden/objectives/td3_bc.txt
"""

from smoothed import run_case
from peer import header
from torchrl.objectives import TD3BCLoss


def run(name, seed, alpha=2.5, **settings):
    def terms(out):  # TorchRL has one loss of the two; which of them is differentiated makes no difference
        return {"actor.gain": out["loss_actor"] - out["bc_loss"], "actor.clone": out["bc_loss"]}

    run_case(name, "td3_bc/td3_bc", TD3BCLoss, seed, terms, {"alpha": alpha}, **settings)


header("td3_bc")
run("plain", 1)
run("near_the_data", 2, alpha=0.3, distance="l2", activation="relu")
run("actor_rests", 3, delay=3, updates=4)

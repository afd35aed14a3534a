# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for the transforms of rewards, actions and episodes in plugins/transforms/standard: TorchRL's, on the
scripted env of transforms.py and on rows of their own.

Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/transforms_rewards.py > plugins/transforms/standard/golden/rewards.txt
"""

import torch
import torchrl
from tensordict import TensorDict
from torchrl.data import Bounded, Composite, OneHot, Unbounded
from torchrl.envs import (ActionDiscretizer, BinarizeReward, ClipTransform, DiscreteActionProjection, EnvBase,
                          FlattenAction, LineariseRewards, TargetReturn, TensorDictPrimer, TerminateTransform,
                          TrajCounter, TransformedEnv)
from torchrl.envs.transforms import SuccessReward

from transforms import STEPS, Script, roll, show

HEADER = f"""# torchrl {torchrl.__version__}, torch {torch.__version__}
# made by: python tests/golden/generate/transforms_rewards.py > plugins/transforms/standard/golden/rewards.txt
# A line a step or row: what goes in, then what comes out. target_*, trajectory: reward, terminated, then the value at
# the step and after it; terminate: the first element after the step, terminated by the env, terminated."""
WEIGHTS = [0.5, -2.0, 1.25]


class Takes(EnvBase):
    """An env that takes actions of this spec."""

    def __init__(self, action):
        super().__init__()
        self.observation_spec = Composite(observation=Unbounded(1))
        self.action_spec = action
        self.reward_spec = Unbounded(1)

    def _reset(self, tensordict):
        return TensorDict({"observation": torch.zeros(1)})

    def _step(self, tensordict):
        done = torch.zeros(1, dtype=torch.bool)
        return TensorDict({"observation": torch.zeros(1), "reward": torch.zeros(1), "terminated": done, "done": done})

    def _set_seed(self, seed):
        pass


def rewards():
    generator = torch.Generator().manual_seed(11)
    for row in torch.randn(8, 3, generator=generator, dtype=torch.float64):
        out = LineariseRewards(["reward"], weights=torch.tensor(WEIGHTS).double())(TensorDict({"reward": row}))
        show("linearise", row, out["reward"])
    spec = Bounded(torch.tensor([-1.0, -2.0, 0.0]), torch.tensor([3.0, 5.0, 7.0]))
    made = LineariseRewards(["reward"], weights=WEIGHTS).transform_reward_spec(Composite(reward=spec))["reward"].space
    show("linearise_bounds", made.low, made.high)
    for x in (-2.0, -1e-9, 0.0, 1e-9, 5.0):
        show("binarise", torch.tensor([x]), BinarizeReward()(TensorDict({"reward": torch.tensor([x])}))["reward"])
    for success in (True, False):
        row = TensorDict({"success": torch.tensor([success])})
        show("success", row["success"], SuccessReward(scale=2.5)(row)["reward"])


def actions():
    box = Bounded(torch.tensor([-2.0, 0.0]), torch.tensor([2.0, 10.0]))
    counts = torch.tensor([4, 3])
    for name in ("MEDIAN", "LOW", "HIGH"):
        strategy = ActionDiscretizer.SamplingStrategy[name]
        env = TransformedEnv(Takes(box.clone()), ActionDiscretizer(counts, sampling=strategy))
        env.action_spec  # makes the intervals
        for first in range(4):
            choice = torch.tensor([first, first % 3])
            show(f"discretise_{name.lower()}", choice, env.transform.inv(TensorDict({"action": choice}))["action"])
    clip = ClipTransform(in_keys_inv=["action"], low=-0.5, high=1.5)
    for row in ([-3.0, 0.25], [0.0, 9.0], [-0.5, 1.5]):
        show("clip", torch.tensor(row), clip.inv(TensorDict({"action": torch.tensor(row)}))["action"])
    square = Bounded(-torch.ones(2, 2), torch.ones(2, 2))
    env = TransformedEnv(Takes(square), FlattenAction(-2, -1))
    flat = torch.arange(4.0) / 4
    show("flatten", flat, env.transform.inv(TensorDict({"action": flat}))["action"])
    project = DiscreteActionProjection(3, 7)
    for choice in range(3):
        hot = torch.nn.functional.one_hot(torch.tensor(choice), 7)
        out = project.inv(TensorDict({"action": hot}))["action"]
        show("project", torch.tensor([choice]), out.argmax(-1, keepdim=True))


def episodes():
    def both(name, key, run):
        for t in range(STEPS):
            show(name, run["next", "reward"][t], run["next", "terminated"][t], run[key][t], run["next", key][t])

    both("trajectory", "traj_count", roll(TrajCounter()))
    for mode in ("reduce", "constant"):
        both(f"target_{mode}", "target_return", roll(TargetReturn(20.0, mode=mode)))
    both("primer", "skill", roll(TensorDictPrimer(skill=Unbounded(1), default_value=1.5)))
    raw = roll()
    ended = roll(TerminateTransform(lambda row: row["observation"][..., 0] < -7))
    # The script reads on after an end, so that only the steps up to the first one are the same.
    for t in range(STEPS):
        show("terminate", ended["next", "observation"][t, :1], raw["next", "terminated"][t],
             ended["next", "terminated"][t])
        if bool(ended["next", "terminated"][t]) != bool(raw["next", "terminated"][t]):
            break


def main():
    print(HEADER)
    rewards()
    actions()
    episodes()


if __name__ == "__main__":
    main()

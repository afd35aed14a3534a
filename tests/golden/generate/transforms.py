# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for plugins/transforms/standard: TorchRL's transforms on a scripted env, in float64.

Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/transforms.py > plugins/transforms/standard/golden/transforms.txt
"""

import torch
import torchrl
from tensordict import TensorDict
from torchrl.data import Bounded, Composite, Unbounded
from torchrl.envs import (ActionScaling, CatFrames, EnvBase, ObservationNorm, RewardClipping, RewardScaling, RewardSum,
                          StepCounter, TimeMaxPool, TransformedEnv, UnsqueezeTransform, VecNormV2)

STEPS = 30
ENDS = {3, 4, 11, 25}  # steps after which an episode ends
LIMIT = 6
HEADER = f"""# torchrl {torchrl.__version__}, torch {torch.__version__}
# made by: python tests/golden/generate/transforms.py > plugins/transforms/standard/golden/transforms.txt
# script: reward, terminated, observation [3], next observation [3]; then a line a step for each transform: its value at
# the step and after it (rewards: one value). norm: after the step and, where an episode ends, of the next one's start;
# norm_decay: the same, with the rows of a step learnt together. warm_up: by the statistics of the first three rows."""


class Script(EnvBase):
    """Observations, rewards and ends read off a table, the same in every instance."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        self.table = torch.randn(3 * STEPS, 3, generator=generator, dtype=torch.float64) * 3 + 1
        self.rewards = torch.randn(STEPS, 1, generator=generator, dtype=torch.float64) * 2
        self.observation_spec = Composite(observation=Unbounded(3, dtype=torch.float64))
        self.action_spec = Bounded(torch.tensor([-2.0, 0.0]), torch.tensor([2.0, 10.0]), dtype=torch.float32)
        self.reward_spec = Unbounded(1, dtype=torch.float64)
        self.at = self.steps = 0

    def observe(self):
        self.at += 1
        return self.table[self.at - 1]

    def _reset(self, tensordict):
        return TensorDict({"observation": self.observe()})

    def _step(self, tensordict):
        end = torch.tensor([self.steps in ENDS])
        reward = self.rewards[self.steps]
        self.steps += 1
        return TensorDict({"observation": self.observe(), "reward": reward, "terminated": end, "done": end})

    def _set_seed(self, seed):
        pass


def roll(*transforms):
    env = Script()
    for transform in transforms:
        env = TransformedEnv(env, transform)
    base = env
    while isinstance(base, TransformedEnv):
        base = base.base_env
    base.at = base.steps = 0  # the wrappers may have looked at it
    return env.rollout(STEPS, break_when_any_done=False)


def show(name, *values):
    print(name, " ".join(f"{float(x):.17g}" for value in values for x in value.flatten()))


def both(name, key, *transforms):
    run = roll(*transforms)
    for t in range(STEPS):
        show(name, run[key][t], run["next", key][t])


def reward(name, transform):
    run = roll(transform)
    for t in range(STEPS):
        show(name, run["next", "reward"][t])


def norm():
    """VecNormV2 fed row by row; what it makes of rows is asked of a frozen copy from before the step."""
    torch.set_default_dtype(torch.float64)  # its weights 1 / count are of the default type
    vecnorm = VecNormV2(in_keys=["observation"], decay=1.0, eps=1e-4)
    row = lambda x: TensorDict({"observation": x.clone()})
    learn = lambda x: vecnorm._step(row(x), row(x))
    run = roll()
    learn(run["observation"][0])
    for t in range(STEPS):
        frozen = vecnorm.frozen_copy()
        rows = [run["next", "observation"][t]]
        if bool(run["next", "done"][t]) and t + 1 < STEPS:
            rows.append(run["observation"][t + 1])
        show("norm", *[frozen._step(row(x), row(x))["observation"] for x in rows])
        for x in rows:
            learn(x)


def norm_decay():
    """VecNormV2 with a decay, fed the rows of a step together. It corrects the bias of E[x^2] - E[x]^2 as a whole, which
    is no variance while the correction is not 1; here both moments are corrected."""
    vecnorm = VecNormV2(in_keys=["observation"], decay=0.9, eps=1e-4, reduce_batch_dims=True)
    def learn(rows):
        batch = TensorDict({"observation": torch.stack(rows)}, [len(rows)])
        vecnorm._step(batch.clone(), batch.clone())
    run = roll()
    learn([run["observation"][0]])
    for t in range(STEPS):
        correction = 1 - 0.9 ** float(vecnorm._count["observation"])
        mean = vecnorm._loc["observation"] / correction
        std = (vecnorm._var["observation"] / correction - mean**2).clamp_min(0).sqrt().clamp_min(1e-4)
        rows = [run["next", "observation"][t]]
        if bool(run["next", "done"][t]) and t + 1 < STEPS:
            rows.append(run["observation"][t + 1])
        show("norm_decay", *[(x - mean) / std for x in rows])
        learn(rows)


def warm_up():
    transform = ObservationNorm(in_keys=["observation"], standard_normal=True)
    base = Script()
    env = TransformedEnv(base, transform)
    base.at = base.steps = 0
    transform.init_stats(3)
    base.at = base.steps = 0
    run = env.rollout(STEPS, break_when_any_done=False)
    for t in range(STEPS):
        show("warm_up", run["observation"][t], run["next", "observation"][t])


def main():
    print(HEADER)
    raw = roll()
    for t in range(STEPS):
        show("script", raw["next", "reward"][t], raw["next", "terminated"][t], raw["observation"][t],
             raw["next", "observation"][t])
    both("step_counter", "step_count", StepCounter())
    limited = roll(StepCounter(max_steps=LIMIT))
    for t in range(STEPS):
        show("time_limit", limited["next", "truncated"][t])
    both("reward_sum", "episode_reward", RewardSum())
    both("stack_same", "observation", CatFrames(N=4, dim=-1, in_keys=["observation"]))
    both("stack_constant", "observation", CatFrames(N=4, dim=-1, in_keys=["observation"], padding="constant"))
    both("scale", "observation", ObservationNorm(loc=torch.tensor([1.0, -2.0, 0.5]).double(),
                                                 scale=torch.tensor([2.0, 0.25, 3.0]).double(),
                                                 in_keys=["observation"], standard_normal=True))
    reward("reward_scale", RewardScaling(loc=0.5, scale=0.25))
    reward("reward_clip", RewardClipping(clamp_min=-1.5, clamp_max=0.75))
    env = TransformedEnv(Script(), ActionScaling())
    for action in ([-1.0, -1.0], [1.0, 1.0], [0.25, -0.5], [0.0, 0.125]):
        action = torch.tensor(action)
        show("action_scale", action, env.transform.inv(TensorDict({"action": action}))["action"])
    norm()
    both("stack_last", "observation", UnsqueezeTransform(dim=-1, in_keys=["observation"]),
         CatFrames(N=4, dim=-1, in_keys=["observation"]))
    both("max_pool", "observation", TimeMaxPool(in_keys=["observation"], T=3))
    norm_decay()
    warm_up()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Trains with TorchRL what it is asked for, a JSON object a line: {"run": NAME} of bench/manifests, with the same networks,
batches and updates a batch, but a tenth of the frames. Answers with {"seconds", "frames", "return_mean"}: of the training
alone, without what is made before it, and of 20 episodes of the policy's modes after it. Everything is eager, as TorchRL's
example for MuJoCo has it by default, with its transforms, but with as many lanes as ours, which one call of the policy acts
for, and with the advantages computed once a batch, as ours are.
"""

import json
import logging
import math
import sys
import time
import warnings

import torch

# Before torchrl, whose SerialEnv gives torch back as many threads as it had when torchrl was imported.
torch.set_num_threads(1)

from tensordict.nn import AddStateIndependentNormalScale, TensorDictModule  # noqa: E402
from torchrl import logger  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer  # noqa: E402
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement  # noqa: E402
from torchrl.envs import (  # noqa: E402
    ClipTransform,
    Compose,
    DoubleToFloat,
    GymEnv,
    ObservationNorm,
    RewardSum,
    SerialEnv,
    StepCounter,
    TransformedEnv,
    VecNormV2,
)
from torchrl.envs.utils import ExplorationType, set_exploration_type  # noqa: E402
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator  # noqa: E402
from torchrl.objectives import ClipPPOLoss  # noqa: E402
from torchrl.objectives.value import GAE  # noqa: E402

FRAMES = {"ppo_half_cheetah": ("HalfCheetah-v5", 10_240)}
LANES, BATCH, MINIBATCH, EPOCHS, RATE, MAX_NORM = 8, 2048, 64, 10, 3e-4, 0.5
EVALUATIONS = 20


def with_transforms(env, normalisation):
    clip = ClipTransform(in_keys=["observation"], low=-10, high=10)
    counters = [RewardSum(), StepCounter()]
    return TransformedEnv(env, Compose(DoubleToFloat(in_keys=["observation"]), normalisation, clip, *counters))


def net(inputs, outputs, gain):
    made = MLP(in_features=inputs, out_features=outputs, num_cells=[64, 64], activation_class=torch.nn.Tanh)
    for layer in made.modules():
        if isinstance(layer, torch.nn.Linear):
            torch.nn.init.orthogonal_(layer.weight, gain)
            torch.nn.init.zeros_(layer.bias)
    return made


def models(env):
    inputs, action = env.observation_spec["observation"].shape[-1], env.action_spec_unbatched
    outputs = action.shape[-1]
    head = torch.nn.Sequential(net(inputs, outputs, 1.0), AddStateIndependentNormalScale(outputs, scale_lb=1e-8))
    actor = ProbabilisticActor(
        TensorDictModule(head, in_keys=["observation"], out_keys=["loc", "scale"]),
        in_keys=["loc", "scale"],
        spec=env.full_action_spec_unbatched,
        distribution_class=TanhNormal,
        distribution_kwargs={"low": action.space.low, "high": action.space.high, "tanh_loc": False},
        return_log_prob=True,
        default_interaction_type=ExplorationType.RANDOM,
    )
    return actor, ValueOperator(net(inputs, 1, 0.01), in_keys=["observation"])


def learn(collector, actor, critic, updates):
    """Trains with every batch of the collector and says how many frames these had."""
    advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=False)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, loss_critic_type="l2", entropy_coeff=0.0, critic_coeff=0.25,
                       normalize_advantage=True)  # fmt: skip
    rows = TensorDictReplayBuffer(storage=LazyTensorStorage(BATCH), sampler=SamplerWithoutReplacement(), batch_size=MINIBATCH)
    parameters = list(loss.parameters())
    optimiser = torch.optim.Adam(parameters, lr=RATE, eps=1e-5)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, updates)
    frames = 0
    for batch in collector:
        with torch.no_grad():
            advantages(batch)
        rows.extend(batch.reshape(-1))
        for _ in range(EPOCHS):
            for minibatch in rows:
                terms = loss(minibatch)
                (terms["loss_objective"] + terms["loss_entropy"] + terms["loss_critic"]).backward()
                torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM)
                optimiser.step()
                optimiser.zero_grad()
                schedule.step()
        frames += batch.numel()
        collector.update_policy_weights_()
    return frames


def evaluate(name, actor, moments):
    """The mean return of the policy's modes, with the observations normalised as at the end of the training."""
    loc, scale = (moment["observation"].clone() for moment in (moments.loc, moments.scale))
    env = with_transforms(GymEnv(name), ObservationNorm(loc, scale, in_keys=["observation"], standard_normal=True))
    env.set_seed(1)
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        ends = [env.rollout(1_000_000, actor)[-1]["next", "episode_reward"].item() for _ in range(EVALUATIONS)]
    env.close()
    return sum(ends) / len(ends)


def train(name):
    env_name, frames = FRAMES[name]
    torch.manual_seed(0)
    moments = VecNormV2(in_keys=["observation"], decay=0.99999, eps=1e-2, reduce_batch_dims=True)
    env = with_transforms(SerialEnv(LANES, lambda: GymEnv(env_name)), moments)
    env.set_seed(0)
    actor, critic = models(env)
    collector = Collector(env, actor, frames_per_batch=BATCH, total_frames=frames)
    first = time.perf_counter()
    trained = learn(collector, actor, critic, math.ceil(frames / BATCH) * EPOCHS * BATCH // MINIBATCH)
    seconds = time.perf_counter() - first
    mean = evaluate(env_name, actor, moments)
    collector.shutdown()
    return {"seconds": seconds, "frames": trained, "return_mean": mean}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logger.setLevel(logging.WARNING)  # what it tells goes to where the answers go
    for line in sys.stdin:
        print(json.dumps(train(json.loads(line)["run"])), flush=True)

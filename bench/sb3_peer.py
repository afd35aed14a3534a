# SPDX-License-Identifier: Apache-2.0
"""Trains with Stable-Baselines3 what it is asked for, a JSON object a line: {"run": NAME} of bench/manifests, with the same
networks, batches and number of updates. Answers with {"seconds", "return_mean"}: of the training alone, and of 20 episodes after it.
"""

import json
import sys
import time
import warnings

import torch
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

RUNS = {
    "dqn_cartpole": (DQN, "CartPole-v1", 1, 20_000, {
        "learning_rate": 2.5e-4, "buffer_size": 10_000, "learning_starts": 1_000, "batch_size": 128, "train_freq": 10,
        "gradient_steps": 1, "target_update_interval": 500, "exploration_fraction": 0.5, "exploration_final_eps": 0.05,
        "policy_kwargs": {"net_arch": [120, 84], "activation_fn": torch.nn.ReLU},
    }),
    "ppo_cartpole": (PPO, "CartPole-v1", 8, 100_000, {
        "learning_rate": 1e-3, "n_steps": 128, "batch_size": 256, "n_epochs": 4, "ent_coef": 0.0, "vf_coef": 0.5,
        "policy_kwargs": {"net_arch": {"pi": [64, 64], "vf": [64, 64]}, "activation_fn": torch.nn.Tanh},
    }),
    "sac_pendulum": (SAC, "Pendulum-v1", 1, 5_000, {
        "learning_rate": 1e-3, "buffer_size": 5_000, "learning_starts": 100, "batch_size": 256, "train_freq": 1,
        "gradient_steps": 1, "policy_kwargs": {"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
    }),
    "ppo_half_cheetah": (PPO, "HalfCheetah-v5", 8, 102_400, {
        "learning_rate": 3e-4, "n_steps": 256, "batch_size": 64, "n_epochs": 10, "ent_coef": 0.0, "vf_coef": 0.25,
        "policy_kwargs": {"net_arch": {"pi": [64, 64], "vf": [64, 64]}, "activation_fn": torch.nn.Tanh},
    }),
}  # fmt: skip


def train(name):
    algorithm, env, lanes, frames, options = RUNS[name]
    first = time.perf_counter()
    model = algorithm("MlpPolicy", make_vec_env(env, lanes), seed=0, device="cpu", **options)
    model.learn(frames)
    seconds = time.perf_counter() - first
    mean, _ = evaluate_policy(model, make_vec_env(env, 1, seed=1), 20)
    return {"seconds": seconds, "return_mean": float(mean)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(train(json.loads(line)["run"])), flush=True)

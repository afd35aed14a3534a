#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what collects PPO's batches on two cores: Acrobot-v1 of Gymnasium in 8 lanes, 256 steps a batch, one epoch of
minibatches of 256, networks of two layers of 64.

    bench/worker_peers.py              five rounds by turns, printed as a table; needs two idle cores
    bench/worker_peers.py --only ROW   one measurement in this process, frames per second

Tenon, Stable-Baselines3 and the PPO of two processes by Gloo (gloo_ppo_peer.py) collect and learn. TorchRL's collectors only
collect, which is less work. Python is that of this script; it needs gymnasium, stable-baselines3 and torchrl.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LANES, STEPS, BATCHES = 8, 256, 12
FRAMES = LANES * STEPS * BATCHES


def tenon(program, collector):
    sets = {"env.plugin": "gym_embedded/env", "env.id": "Acrobot-v1", "env.python": sys.executable, "env.lanes": LANES, "train.batch": LANES * STEPS,
            "train.minibatch": 256, "train.epochs": 1, "run.total_frames": FRAMES, "run.executor": "compiled", **collector}  # fmt: skip
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    command = [program, "bench", "manifest", ROOT / "manifests" / "ppo_cartpole.toml", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["frames_per_s"]


def shards(program):
    """Two processes that share lanes and minibatches. `tenon bench` measures one, so this is a run without evaluations."""
    sets = {"run.shards": 2, "run.total_frames": FRAMES, "run.executor": "compiled", "objective.normalise_advantage": False,
            "env.plugin": "gym_embedded/env", "env.id": "Acrobot-v1", "env.python": sys.executable, "env.lanes": LANES,
            "train.batch": LANES * STEPS, "train.minibatch": 256, "train.epochs": 1, "eval.every_frames": 0}  # fmt: skip
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", ROOT / "manifests" / "ppo_cartpole.toml", *words, "--out", f"{folder}/run", "--quiet", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return result["frames"] / result["seconds"]


def by_gloo(_):
    import gloo_ppo_peer

    return gloo_ppo_peer.frames_per_second(LANES, STEPS, BATCHES)


def subproc_vec_env(_):
    import gymnasium
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import SubprocVecEnv

    torch.set_num_threads(1)
    envs = SubprocVecEnv([lambda: gymnasium.make("Acrobot-v1")] * LANES)
    model = PPO("MlpPolicy", envs, n_steps=STEPS, batch_size=256, n_epochs=1, device="cpu")
    model.learn(LANES * STEPS)
    began = time.perf_counter()
    model.learn(FRAMES)
    speed = FRAMES / (time.perf_counter() - began)
    envs.close()
    return speed


def lanes_of_torchrl():
    from torchrl.envs import GymEnv, SerialEnv

    return SerialEnv(LANES // 2, lambda: GymEnv("Acrobot-v1"))


def policy_of_torchrl():
    import torch
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.modules import OneHotCategorical, ProbabilisticActor

    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    return ProbabilisticActor(TensorDictModule(net, ["observation"], ["logits"]), in_keys=["logits"],
                              distribution_class=OneHotCategorical, return_log_prob=True)  # fmt: skip


def multi_sync(_):
    from torchrl.collectors import MultiSyncCollector

    return speed_of(MultiSyncCollector([lanes_of_torchrl, lanes_of_torchrl], policy_of_torchrl(), frames_per_batch=LANES * STEPS,
                                       total_frames=LANES * STEPS * (BATCHES + 1)))  # fmt: skip


def distributed(_):
    from torchrl.collectors.distributed import DistributedCollector

    return speed_of(DistributedCollector([lanes_of_torchrl, lanes_of_torchrl], policy_of_torchrl(), frames_per_batch=LANES * STEPS,
                                         total_frames=LANES * STEPS * (BATCHES + 1), sync=True, backend="gloo", launcher="mp"))  # fmt: skip


def speed_of(collector):
    batches = iter(collector)
    next(batches)
    began = time.perf_counter()
    for _ in range(BATCHES):
        next(batches)
    speed = FRAMES / (time.perf_counter() - began)
    collector.shutdown()
    return speed


ROWS = {
    "Tenon, in turn": lambda program: tenon(program, {}),
    "Tenon, two worker processes": lambda program: tenon(program, {"collector.kind": "processes", "collector.workers": 2}),
    "Tenon, two worker processes by a courier": lambda program: tenon(
        program, {"collector.kind": "processes", "collector.workers": 2, "collector.via": ["env"]}
    ),
    "Tenon, two shards": shards,
    "PPO of two processes by Gloo, as CleanRL's": by_gloo,
    "Stable-Baselines3, SubprocVecEnv": subproc_vec_env,
    "TorchRL, MultiSyncCollector, without updates": multi_sync,
    "TorchRL, DistributedCollector by Gloo, without updates": distributed,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=ROWS)
    given = parser.parse_args()
    if given.only:
        print(json.dumps(ROWS[given.only](given.program)))
        return 0
    found = {row: [] for row in ROWS}
    for _ in range(given.rounds):
        for row, speeds in found.items():
            done = subprocess.run([sys.executable, __file__, "--program", given.program, "--only", row], capture_output=True, text=True, check=True)
            speeds.append(json.loads(done.stdout.splitlines()[-1]))
            print(f"{row}: {speeds[-1]:,.0f}", file=sys.stderr, flush=True)
    first = found["Tenon, in turn"]
    for row, speeds in found.items():
        print(f"| {row} | {statistics.median(speeds):,.0f} | {statistics.median(a / b for a, b in zip(speeds, first)):.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

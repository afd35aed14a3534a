#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PPO in several processes whose gradients are summed by Gloo, written as CleanRL's ppo_atari_multigpu.py has it: each process steps its
own lanes, concatenates all gradients after backward(), calls all_reduce once a minibatch, and clips and steps. Measures frames per
second of all processes, for bench/worker_peers.py."""

import os
import socket
import time

PROCESSES = 2


def layers(nn, outputs, std):
    def layer(inputs, to, gain):
        linear = nn.Linear(inputs, to)
        nn.init.orthogonal_(linear.weight, gain)
        nn.init.zeros_(linear.bias)
        return linear

    return nn.Sequential(layer(6, 64, 2**0.5), nn.Tanh(), layer(64, 64, 2**0.5), nn.Tanh(), layer(64, outputs, std))


def learn(rank, port, lanes, steps, batches, times):
    import gymnasium
    import torch
    import torch.distributed as dist
    from torch import nn

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    actor, critic = layers(nn, 3, 0.01), layers(nn, 1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=2.5e-4, eps=1e-5)
    envs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("Acrobot-v1")] * lanes)
    now = torch.tensor(envs.reset(seed=rank)[0])
    done = torch.zeros(lanes)
    for batch in range(batches + 1):
        if batch == 1:
            dist.barrier()
            began = time.perf_counter()
        seen, taken, logs, rewards, dones, values = [], [], [], [], [], []
        for _ in range(steps):
            with torch.no_grad():
                distribution = torch.distributions.Categorical(logits=actor(now))
                action = distribution.sample()
                values.append(critic(now)[:, 0])
            seen.append(now)
            taken.append(action)
            logs.append(distribution.log_prob(action))
            dones.append(done)
            after, reward, terminated, truncated, _ = envs.step(action.numpy())
            rewards.append(torch.tensor(reward, dtype=torch.float32))
            now, done = torch.tensor(after), torch.tensor(terminated | truncated, dtype=torch.float32)
        with torch.no_grad():
            following, sum_, advantages = critic(now)[:, 0], torch.zeros(lanes), []
            alive = 1 - done
            for i in reversed(range(steps)):
                delta = rewards[i] + 0.99 * following * alive - values[i]
                sum_ = delta + 0.99 * 0.95 * alive * sum_
                advantages.insert(0, sum_)
                following, alive = values[i], 1 - dones[i]
        columns = [torch.stack(each).flatten(0, 1) for each in (seen, taken, logs, values, advantages)]
        for rows in torch.randperm(steps * lanes).split(256 // PROCESSES):
            obs, action, log, value, advantage = (column[rows] for column in columns)
            distribution = torch.distributions.Categorical(logits=actor(obs))
            ratio = (distribution.log_prob(action) - log).exp()
            returns = advantage + value
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy = torch.max(-advantage * ratio, -advantage * ratio.clamp(0.8, 1.2)).mean()
            loss = policy - 0.01 * distribution.entropy().mean() + 0.25 * (critic(obs)[:, 0] - returns).square().mean()
            optimizer.zero_grad()
            loss.backward()
            gradients = torch.cat([each.grad.flatten() for each in parameters])
            dist.all_reduce(gradients)
            offset = 0
            for each in parameters:
                each.grad.copy_(gradients[offset : offset + each.numel()].view_as(each) / PROCESSES)
                offset += each.numel()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()
    dist.barrier()
    times[rank] = time.perf_counter() - began
    dist.destroy_process_group()


def frames_per_second(lanes, steps, batches):
    import torch.multiprocessing as processes

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with processes.Manager() as manager:
        times = manager.dict()
        processes.spawn(learn, (port, lanes // PROCESSES, steps, batches, times), PROCESSES)
        return lanes * steps * batches / max(times.values())

# SPDX-License-Identifier: Apache-2.0
"""Short runs whose updates have kernels: those of tests/e2e/device_learning_test.py, on the emulated device, and of
runs_test.py, on a GPU."""

DQN = """
[run]
total_frames = 1_200
executor = "compiled"
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [16, 16]
[exploration]
plugin = "explore/epsilon_greedy"
[buffer]
plugin = "replay/prioritised"
capacity = 2_000
[objective]
plugin = "dqn/dqn"
[train]
batch = 64
updates_per_batch = 2
minibatch = 16
start_frames = 600
accumulate = 2
[target]
every = 5
[checkpoint]
every_frames = 300
"""
PPO = """
[run]
total_frames = 500
executor = "compiled"
[env]
plugin = "classic/CartPole-v1"
lanes = 5
[policy.actor]
plugin = "mlp/categorical"
hidden = [16, 16]
[policy.value]
plugin = "mlp/value"
hidden = [16, 16]
[objective]
plugin = "ppo/ppo"
[train]
batch = 250
minibatch = 50
epochs = 2
[eval]
every_frames = 250
episodes = 2
"""
SAC = """
[run]
total_frames = 160
executor = "compiled"
[env]
plugin = "classic/Pendulum-v1"
lanes = 4
[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [16, 16]
[policy.qvalue]
plugin = "mlp/q"
count = 2
hidden = [16, 16]
[buffer]
plugin = "replay/uniform"
capacity = 2_000
[objective]
plugin = "sac/sac"
[train]
batch = 4
minibatch = 32
start_frames = 80
clip_norm = 5.0
[optimiser]
lr = 1e-3
[target]
kind = "soft"
tau = 0.01
"""
MEMORIES = """
[run]
total_frames = 100
executor = "compiled"
[env]
plugin = "classic/CartPole-v1"
lanes = 5
[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
cell = "gru"
[policy.value]
plugin = "mlp/value"
hidden = [8]
cell = "lstm"
[objective]
plugin = "ppo/ppo"
[train]
batch = 50
minibatch = 20
epochs = 2
shuffle = "lanes"
"""
IMAGES = """
[run]
total_frames = 120
executor = "compiled"
[env]
plugin = "small/Catch-v0"
lanes = 4
[policy.trunk]
plugin = "cnn/convnet"
channels = [4, 6]
kernels = [3, 2]
strides = [2, 1]
paddings = [1, 0]
size = 8
[policy.actor]
plugin = "mlp/categorical"
hidden = []
in = ["trunk.features"]
[policy.value]
plugin = "mlp/value"
hidden = []
in = ["trunk.features"]
[objective]
plugin = "ppo/ppo"
[train]
batch = 40
minibatch = 20
epochs = 2
[optimiser]
kind = "rmsprop"
momentum = 0.9
centered = true
"""


def by_libtorch(text):
    return text.replace('"compiled"', '"reference"')


def on_device(text, *keys, device="emulated"):
    return text.replace("[run]", "\n".join(["[run]", f'device = "{device}"', *keys]))

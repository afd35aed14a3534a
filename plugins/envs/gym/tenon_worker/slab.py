# SPDX-License-Identifier: Apache-2.0
"""The memory that is shared with the program, laid out by it (bridge/slab.cpp)."""

import ctypes
import os

import numpy as np

STEP, RESET, STEP_LEAVING_ENDS = 1, 2, 3  # what to do in a lane
CONTINUE = 2**64 - 1  # no seed: the generator goes on


class Slab:
    """Views of the shared memory at the offsets that the program chose."""

    TEXT = 3072

    def __init__(self, layout, world, memory):
        lanes = layout["lanes"]
        self.memory = memory

        def view(offset, dtype, shape):
            count = int(np.prod(shape, dtype=np.int64))
            return np.frombuffer(self.memory, dtype=dtype, count=count, offset=offset).reshape(shape)

        self.bell = view(layout["bell"], "uint32", (1,))
        self.address = self.bell.ctypes.data
        self.request = view(layout["request"], "uint32", (lanes,))
        self.done = view(layout["done"], "uint32", (lanes,))
        self.command = view(layout["command"], "uint32", (lanes,))
        self.failed = view(layout["failed"], "uint32", (lanes,))
        self.seed = view(layout["seed"], "uint64", (lanes,))
        self.reward = view(layout["reward"], "float64", (lanes,))
        self.terminated = view(layout["terminated"], "bool", (lanes,))
        self.truncated = view(layout["truncated"], "bool", (lanes,))
        self.text = view(layout["text"], "uint8", (self.TEXT,))

        def slabs(columns, offsets):
            return [view(at, column.dtype, (lanes,) + column.shape) for column, at in zip(columns, offsets)]

        self.observations = slabs(world.observations, layout["observations"])
        self.finals = slabs(world.observations, layout["finals"])
        self.actions = slabs(world.actions.columns, layout["actions"])
        self.infos = slabs(world.infos, layout["extras"])
        self.rewards = slabs(world.rewards, layout["rewards"])
        self.ends = slabs(world.ends, layout["ends"])

    def say(self, text):
        data = text.encode("utf-8", "replace")[: self.TEXT - 1]
        self.text[: len(data)] = np.frombuffer(data, dtype=np.uint8)
        self.text[len(data)] = 0


def futex_wake():
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
    call = libc.syscall
    call.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return lambda address: call(number, address, 1, 2**31 - 1)


FUTEX = futex_wake()

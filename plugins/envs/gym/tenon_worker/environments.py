# SPDX-License-Identifier: Apache-2.0
"""The environments of a worker: how they are described and where they run."""

import os
import sys

from . import vmas
from .agent_world import AgentLanes, AgentWorld
from .lanes import Lanes
from .make import make_env
from .sentences import Refusal
from .single import Single
from .slab import Slab
from .vector_lanes import VectorLanes, begins_late, check_vector, mode_of
from .world import World
from .zoo import Zoo


def describe(config):
    """What one of them looks like."""
    if config["folder"] and not os.path.isdir(config["folder"]):
        raise Refusal("there is no folder %s" % config["folder"], "folder")
    if config["folder"] and config["folder"] not in sys.path:
        sys.path.insert(0, config["folder"])
    if vmas.is_vmas(config):
        return vmas.describe(config)
    env = make_one(config)
    world = AgentWorld(env, config) if isinstance(env, Zoo) else World(env, config)
    if config["vector"] and begins_late(env.env):
        world.has_one_a_lane = True
        world.notes.append(
            "the vector form of '%s' begins episodes a step late (its autoreset mode is %s), so each lane has a vector "
            "environment of its own; single environments are faster" % (config["name"], mode_of(env.env))
        )
    elif config["vector"]:
        check_vector(world)
    env.close()
    return world


def make_one(config):
    return Single(make_env(config, 1)) if config["vector"] else make_env(config)


def open(config, world, layout, memory):
    """All of them, on a slab with this layout."""
    slab = Slab(layout, world, memory)
    if vmas.is_vmas(config):
        return vmas.VmasLanes(config, world, slab)
    if config["vector"] and not world.has_one_a_lane:
        return VectorLanes(config, world, slab)
    lanes = AgentLanes if isinstance(world, AgentWorld) else Lanes
    return lanes(config, world, slab, [make_one(config) for _ in range(config["lanes"])])

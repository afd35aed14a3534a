# SPDX-License-Identifier: Apache-2.0
"""The environments of a worker: how they are described and where they run."""

import sys

from .lanes import Lanes
from .make import make_env
from .slab import Slab
from .vector_lanes import Single, VectorLanes, check_vector
from .world import World


def describe(config):
    """What one of them looks like."""
    if config["folder"] and config["folder"] not in sys.path:
        sys.path.insert(0, config["folder"])
    env = Single(make_env(config, 1)) if config["vector"] else make_env(config)
    world = World(env, config)
    if config["vector"]:
        check_vector(env.env, world, config["name"])
    env.close()
    return world


def open(config, world, layout, memory):
    """All of them, on a slab with this layout."""
    lanes = VectorLanes if config["vector"] else Lanes
    return lanes(config, world, Slab(layout, world, memory))

# SPDX-License-Identifier: Apache-2.0
"""One vector environment for all lanes of a worker."""

import numpy as np

from .make import make_env
from .sentences import Refusal, sentence_of
from .single import nth
from .slab import CONTINUE, FUTEX, STEP
from .spaces import Offset, row_of


class VectorLanes:
    """One vector environment for all lanes of this worker, which begins episodes in the step that ends the last one, or when
    it is told to. Both become one: in that step, with the last observation kept."""

    def __init__(self, config, world, slab):
        self.world, self.slab, self.count = world, slab, config["lanes"]
        self.env = make_env(config, self.count)
        self.read = world.actions.read
        self.mode = mode_of(self.env)
        self.by_number = hasattr(self.env, "all_env_ids")
        self.left_out = np.zeros(self.count, bool)  # lanes that others have stepped without

    def part(self, column, value, info):
        part = info if self.world.mask == "info" and column.key == "action_mask" else value
        for index in column.path:
            part = part[index]
        return part

    def write(self, value, info, slabs):
        for column, slab in zip(self.world.observations, slabs):
            slab[:] = row_of(column, self.part(column, value, info), (self.count,))

    def write_lane(self, value, info, slabs, lane):
        for column, slab in zip(self.world.observations, slabs):
            slab[lane] = row_of(column, self.part(column, value, info))

    def write_infos(self, info):
        for column, slab in zip(self.world.infos, self.slab.infos):
            slab[:] = row_of(column, info[column.path[0]], (self.count,)) if column.path[0] in info else 0

    def begin(self, lanes, seeds=None):
        """New episodes in some lanes; the rows of the others are as they were."""
        if len(lanes) == self.count:
            try:
                observation, info = self.env.reset(seed=seeds)
            except TypeError:  # ale_py's takes an array
                observation, info = self.env.reset(seed=np.asarray(seeds, np.int32))
        elif self.by_number:
            observation, info = self.env.reset(np.asarray(lanes, np.int32))
            for i, lane in enumerate(lanes):
                self.write_lane(nth(observation, i), nth(info, i), self.slab.observations, lane)
            return
        else:
            mask = np.zeros(self.count, bool)
            mask[lanes] = True
            observation, info = self.env.reset(options={"reset_mask": mask})
        self.write(observation, info, self.slab.observations)

    def reset(self, lanes):
        seeds = [int(self.slab.seed[lane]) for lane in lanes]
        seeds = None if CONTINUE in seeds else seeds
        self.begin(lanes, seeds)
        self.left_out[lanes] = False
        for slab in self.slab.infos:
            slab[lanes] = 0

    def require_all(self, lanes):
        """A lane that does not wait is parked and never waits again, or something steps single lanes."""
        if self.left_out[lanes].any():
            raise Refusal(
                "a wrapper steps some lanes without the others, which a vector environment cannot do: leave out the wrapper "
                "or the vector form"
            )
        if len(lanes) < self.count:
            self.left_out[:] = True
            self.left_out[lanes] = False

    def step(self, lanes):
        self.require_all(lanes)
        slab = self.slab
        observation, reward, terminated, truncated, info = self.env.step(self.read(slab.actions, slice(None)))
        slab.reward[:], slab.terminated[:], slab.truncated[:] = reward, terminated, truncated
        over = np.flatnonzero(slab.terminated | slab.truncated).tolist()
        self.write(observation, info, slab.observations)
        self.write_infos(info)
        if over and self.mode == "SAME_STEP":
            last = info["final_obs"] if "final_obs" in info else info["final_observation"]
            infos = info.get("final_info", info)
            for lane in over:
                self.write_lane(nth(last, lane), nth(infos, lane), slab.finals, lane)
        elif over:
            for final, now in zip(slab.finals, slab.observations):
                final[over] = now[over]
            self.begin(over)

    def serve(self):
        slab = self.slab
        waiting = (slab.request != slab.done).nonzero()[0].tolist()  # lanes that the program has parked do not wait
        try:
            if waiting and slab.command[waiting[0]] == STEP:
                self.step(waiting)
            elif waiting:
                self.reset(waiting)
        except (Exception, SystemExit) as error:
            slab.failed[waiting] = 1
            slab.say(sentence_of(error))
        slab.done[waiting] = slab.request[waiting]
        slab.bell[0] += 1
        FUTEX(slab.address)

    def save(self, lane):
        raise Refusal("it is a vector environment")

    def close(self):
        self.env.close()


def mode_of(env):
    mode = getattr(env, "metadata", {}).get("autoreset_mode")
    return str(getattr(mode, "name", mode)).upper().replace("AUTORESETMODE.", "")


def begins_late(env):
    """Whether episodes begin in a step of their own, of which no lane can be left out. EnvPool begins single ones when told
    to."""
    return mode_of(env) not in ("SAME_STEP", "DISABLED") and not hasattr(env, "all_env_ids")


def check_vector(world):
    """Raises a Refusal where a vector environment is none that VectorLanes can have."""
    if any(hasattr(column, "convert") and not isinstance(column, Offset) for column in world.observations):
        raise Refusal(
            "a vector environment cannot have Text or OneOf spaces here: leave out vector = \"make_vec\"", "vector"
        )

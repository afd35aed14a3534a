# SPDX-License-Identifier: Apache-2.0
"""One environment a lane."""

import pickle

import numpy as np

from . import pictures, saving
from .sentences import NO_STEP, Refusal, check_reset, sentence_of
from .slab import CONTINUE, FUTEX, STEP, STEP_LEAVING_ENDS
from .spaces import row_of


class Lanes:
    """The environments of this worker, one a lane."""

    def __init__(self, config, world, slab, envs):
        self.world, self.slab, self.name = world, slab, config["name"]
        self.frame = None  # the shape of a picture
        self.envs = envs
        self.read = world.actions.read
        single = world.observations[0]
        self.plain = len(world.observations) == 1 and not single.path and not hasattr(single, "convert")
        self.dtype, self.shape = single.dtype, single.shape
        self.rows = list(slab.observations[0])
        for env, row in zip(self.envs, self.rows):
            self.share(env, row)

    def share(self, env, row):
        """Lets an environment that can do so write its observations into the shared memory."""
        if self.plain and hasattr(env, "observe_into"):
            env.observe_into(row)

    def write(self, value, info, slabs, lane, over=False):
        if self.plain:
            # Most environments: one array of the right type.
            if not (getattr(value, "dtype", None) == self.dtype and value.shape == self.shape):
                value = row_of(self.world.observations[0], value)
            slabs[0][lane] = value
            return
        for column, slab in zip(self.world.observations, slabs):
            part = info if self.world.mask == "info" and column.key == "action_mask" else value
            try:
                for index in column.path:
                    part = part[index]
            except (KeyError, IndexError, TypeError):
                if column.key != "action_mask":
                    raise Refusal("its observation lacks the part '%s' of its space" % column.key) from None
                if not over:
                    raise Refusal("it gave no action mask '%s'" % self.world.mask_key) from None
                part = np.ones(column.shape)
            slab[lane] = row_of(column, part)

    def write_infos(self, info, lane):
        for column, slab in zip(self.world.infos, self.slab.infos):
            name = column.path[0]
            slab[lane] = row_of(column, info[name]) if name in info else 0

    def reset(self, lane):
        slab, seed = self.slab, int(self.slab.seed[lane])
        result = check_reset(self.envs[lane].reset() if seed == CONTINUE else self.envs[lane].reset(seed=seed))
        self.write(result[0], result[1], slab.observations, lane)
        self.write_infos(result[1], lane)

    def step(self, lanes, begins=True):
        """Steps some lanes. What is one number a lane is read and written for all of them at once, which is faster. Where
        an episode ends the next one begins, or the program begins it."""
        slab, envs, read, plain, rows = self.slab, self.envs, self.read, self.plain, self.rows
        dtype, shape, observations, has_infos = self.dtype, self.shape, slab.observations[0], bool(self.world.infos)
        actions = [list(column) if column.ndim == 1 else column for column in slab.actions]
        rewards, terminated, truncated = [], [], []
        for lane in lanes:
            try:
                result = envs[lane].step(read(actions, lane))
                if len(result) != 5:
                    raise Refusal(NO_STEP)
                observation, reward, over, cut, info = result
                if over or cut:
                    self.write(observation, info, slab.finals, lane, True)
                    if begins:
                        observation, first = envs[lane].reset()
                        self.write(observation, first, slab.observations, lane)
                elif plain and getattr(observation, "dtype", None) is dtype and observation.shape == shape:
                    if observation is not rows[lane]:
                        observations[lane] = observation
                else:
                    self.write(observation, info, slab.observations, lane)
                if has_infos:
                    self.write_infos(info, lane)
                try:
                    reward, over, cut = float(reward), bool(over), bool(cut)
                except (TypeError, ValueError):
                    raise Refusal("its reward is %r, and should be one number" % (reward,)) from None
            except (Exception, SystemExit) as error:
                reward, over, cut = 0, False, False
                slab.failed[lane] = 1
                slab.say(sentence_of(error))
            rewards.append(reward)
            terminated.append(over)
            truncated.append(cut)
        slab.reward[lanes], slab.terminated[lanes], slab.truncated[lanes] = rewards, terminated, truncated

    def serve(self):
        """Does what waits in the shared memory, then rings the program's bell."""
        slab = self.slab
        waiting = (slab.request != slab.done).nonzero()[0]
        lanes, numbers, commands = waiting.tolist(), slab.request[waiting], slab.command[waiting]
        if (commands == STEP).all():
            self.step(lanes)
        elif (commands == STEP_LEAVING_ENDS).all():
            self.step(lanes, begins=False)
        else:
            for lane in lanes:
                try:
                    self.reset(lane)
                except (Exception, SystemExit) as error:
                    slab.failed[lane] = 1
                    slab.say(sentence_of(error))
        slab.done[waiting] = numbers  # last: x86 keeps the order of stores
        slab.bell[0] += 1
        FUTEX(slab.address)

    def draw(self, lane):
        frame = pictures.draw(self.envs[lane], self.name, self.frame)
        self.frame = frame.shape[:2]
        return frame.tobytes()

    def save(self, lane):
        return saving.dumps(self.envs[lane])

    def load(self, lane, data):
        self.envs[lane] = pickle.loads(data)
        self.share(self.envs[lane], self.rows[lane])

    def close(self):
        for env in self.envs:
            env.close()

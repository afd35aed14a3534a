# SPDX-License-Identifier: Apache-2.0
"""For a program that runs this interpreter in its own process (plugins/envs/gym_embedded). It does steps by itself that
give what most environments give, and leaves all others to Lanes."""

import io
import json
import os
import sys

from .sentences import Refusal, sentence_of
from .session import Session

OTHER, ARRAY, NUMBER = 0, 1, 2  # kinds of observations; the program has the same numbers
MANY = 4096  # choices, of which none are kept


def prepare(settings):
    """Takes over the settings of an interpreter that was started as a program, and hides what environments print."""
    told = json.loads(settings)
    sys.path[:], sys.argv = told["path"], told["argv"]
    if told["utf8"] is None:
        os.environ.pop("PYTHONUTF8", None)  # set by the program while it started
    nothing = io.TextIOWrapper(io.BufferedWriter(Nothing()), encoding="utf-8", errors="replace")
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = nothing


class Nothing(io.RawIOBase):
    """Takes what is printed. Opens a file only where one is asked for, because an env shall leave none open."""

    file = None

    def writable(self):
        return True

    def write(self, data):
        return len(data)

    def fileno(self):
        self.file = self.file or open(os.devnull, "wb")
        return self.file.fileno()


class Embedded(Session):
    """A session with memory that the program sets before it asks for environments."""

    def __init__(self):
        super().__init__(lambda size: self.memory)

    def make_world(self):
        if self.config["id"].startswith("vmas:"):
            raise Refusal('a world of VMAS steps all lanes at once, which only gym/env can do: set plugin = "gym/env"')
        return super().make_world()

    def steps(self):
        return Steps(self.lanes)


class Steps:
    """How the program steps lanes by itself."""

    def __init__(self, lanes):
        from .spaces import Offset  # which needs numpy; describe says so if there is none

        self.lanes, self.envs, self.slab = lanes, lanes.envs, lanes.slab
        self.read, self.actions = lanes.read, lanes.slab.actions  # a lane's action in the slab: read(actions, lane)
        columns, actions = lanes.world.observations, lanes.world.actions.columns
        single = columns[0]
        is_plain = len(columns) == 1 and not single.path and not lanes.world.infos
        self.kind, self.dtype, self.start = OTHER, single.dtype, 0
        if is_plain and lanes.plain:
            self.kind = ARRAY
        elif is_plain and type(single) is Offset and single.shape == ():
            self.kind, self.start = NUMBER, int(single.start)
        # Of a Discrete space, the actions that Lanes would make.
        self.choices = ()
        if actions[0].key == "action" and actions[0].kind == "categorical" and actions[0].categories[0] <= MANY:
            count = int(actions[0].categories[0])
            numbers = list(actions[0].dtype.type(i) for i in range(count))
            self.choices = tuple(lanes.read([numbers], i) for i in range(count))

    def again(self, lane, *given):
        """Lanes does a step of which the program has what step and perhaps reset returned, or the exceptions."""
        env = self.envs[lane]
        self.envs[lane] = Given(env, *given)
        try:
            self.lanes.step([lane])
        except BaseException as error:  # such as KeyboardInterrupt
            self.slab.failed[lane] = 1
            self.slab.say(sentence_of(error))
        finally:
            self.envs[lane] = env


class Given:
    """In place of an environment that has already done its step."""

    def __init__(self, env, stepped, begun=None):
        self.env, self.stepped, self.begun = env, stepped, begun

    def step(self, action):
        return self.outcome(self.stepped)

    def reset(self):
        return self.env.reset() if self.begun is None else self.outcome(self.begun)

    def outcome(self, value):
        if isinstance(value, BaseException):
            raise value
        return value

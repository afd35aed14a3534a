# SPDX-License-Identifier: Apache-2.0
"""A worker of the plugin gym: steps some Gymnasium environments for a program that shares memory with it.

Needs Python 3.8, numpy and gymnasium. The program starts it as `python gym_worker.py` with these descriptors:
    3  messages of the program, each answered: the length in four bytes, then text
    4  the shared memory: what to do in each lane, actions, results (Slab)
    5  the doorbell, an eventfd: its lower half counts messages, its upper half calls for the lanes in the shared memory
    6  a pipe that the program never writes to: its end means that the program is gone
Standard output and error go to memory from which the program quotes the last lines when something fails."""

import os
import sys

sys.path[0] = os.getcwd()  # the user's own modules, as `python -m` finds them, and not what is beside this file
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # the workers are what runs in parallel

import ctypes
import faulthandler
import fcntl
import inspect
import json
import mmap
import pickle
import signal
import struct
import traceback

MESSAGES, MEMORY, DOORBELL, LIFE = 3, 4, 5, 6
STEP, RESET = 1, 2  # what to do in a lane
CONTINUE = 2**64 - 1  # no seed: the generator goes on


class Refusal(Exception):
    """A sentence for the user, complete as it is."""


# ---------------------------------------------------------------------------------------------------------------------
# The end of the program, and sentences about failures


def die_with_the_program():
    """The kernel kills this process when the program's end of the pipe is closed, however the program ends."""
    fcntl.fcntl(LIFE, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(LIFE, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(LIFE, fcntl.F_SETFL, fcntl.fcntl(LIFE, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    try:
        if os.read(LIFE, 1) == b"":
            os._exit(1)  # it ended before
    except BlockingIOError:
        pass


def sentence_of(error, last=3):
    """'ValueError: no wheel (car.py:12 in step)': the exception and the innermost places of the user's code."""
    if isinstance(error, Refusal):
        return str(error)
    if isinstance(error, SystemExit):
        what = "it called sys.exit(%s)" % ("" if error.code is None else error.code)
    else:
        text = " ".join(str(error).split())
        what = type(error).__name__ + (": " + text if text else "")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    mine = [f for f in frames if os.sep + "gymnasium" + os.sep not in f.filename] or frames
    places = ["%s:%s in %s" % (f.filename, f.lineno, f.name) for f in mine[-last:]]
    return what + (" (" + ", ".join(reversed(places)) + ")" if places else "")


# ---------------------------------------------------------------------------------------------------------------------
# Spaces as columns


def missing(package):
    return Refusal(
        "%s has no package %s: install it with '%s -m pip install gymnasium', or name another interpreter with "
        'python = "..."' % (sys.executable, package, sys.executable)
    )


try:
    import numpy as np
except ImportError:
    np = None


class Column:
    """A part of a space: a column of the program, and how a value becomes a row of it."""

    def __init__(self, role, key, path, kind, dtype, shape, low=(), high=(), categories=()):
        self.role, self.key, self.path, self.kind = role, key, path, kind
        self.dtype, self.shape = np.dtype(dtype), tuple(int(n) for n in shape)
        self.low, self.high, self.categories = low, high, categories
        self.size = int(np.prod(self.shape, dtype=np.int64))

    def line(self):
        """For the program: numbers separated by commas."""

        def joined(values):
            return ",".join(repr(v) for v in values)

        low, high = [float(x) for x in self.low], [float(x) for x in self.high]
        if len(set(low)) == 1 and len(set(high)) == 1:
            low, high = low[:1], high[:1]
        fields = [self.role, self.key, self.kind, self.dtype.name, joined(self.shape), joined(low), joined(high)]
        return "\t".join(fields + [joined(int(n) for n in self.categories)])


STORED = {  # how elements of a Box are stored
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
    "int8": "int32",
    "int16": "int32",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "bool": "bool",
}


def unmappable(role, key, space, why):
    return Refusal("the part '%s' of the %s space is %s, which %s" % (key, role, space, why))


def children(space):
    """The parts of a Dict or Tuple space with their names, in the order of the space."""
    if isinstance(space.spaces, dict):
        return [(str(name), name, part) for name, part in space.spaces.items()]
    return [(str(i), i, part) for i, part in enumerate(space.spaces)]


def observation_columns(space, key, path=(), leave_out=()):
    """The columns of a space, without the parts whose keys are in leave_out."""
    kind = type(space).__name__
    role = "observation"
    if kind == "Box":
        dtype = STORED.get(np.dtype(space.dtype).name)
        if dtype is None:
            raise unmappable(role, key, space, "has elements of type %s" % np.dtype(space.dtype).name)
        low, high = space.low.reshape(-1), space.high.reshape(-1)
        if dtype == "bool":
            return [Column(role, key, path, "binary", dtype, space.shape)]
        if not (np.isfinite(low.astype("float64")).any() or np.isfinite(high.astype("float64")).any()):
            return [Column(role, key, path, "unbounded", dtype, space.shape)]
        return [Column(role, key, path, "bounded", dtype, space.shape, low, high)]
    if kind == "Discrete":
        return [Offset(role, key, path, "categorical", "int64", (), start=space.start, categories=[space.n])]
    if kind == "MultiDiscrete":
        nvec = np.asarray(space.nvec).reshape(-1)
        start = np.asarray(getattr(space, "start", np.zeros_like(nvec))).reshape(-1)
        return [Offset(role, key, path, "multi_categorical", "int64", nvec.shape, start=start, categories=nvec)]
    if kind == "MultiBinary":
        return [Column(role, key, path, "binary", "bool", space.shape)]
    if kind == "Text":
        letters = len(space.character_list) + 1
        size = int(space.max_length)
        return [Letters(role, key, path, "multi_categorical", "int64", (size,), space=space, categories=[letters] * size)]
    if kind in ("Dict", "Tuple"):
        out = []
        for name, index, part in children(space):
            if key + "." + name not in leave_out:
                out += observation_columns(part, key + "." + name, path + (index,), leave_out)
        return out
    if kind == "OneOf":
        out = [Which(role, key + ".which", path, "categorical", "int64", (), categories=[len(space.spaces)])]
        for i, part in enumerate(space.spaces):
            out += [Alternative(i, column) for column in observation_columns(part, "%s.%d" % (key, i))]
        for column in out[1:]:
            column.path, column.inner = path, column.path
        return out
    why = "has no fixed number of elements"
    raise unmappable(role, key, space, why + (': leave_out = ["%s"] does without it' % key if path else ""))


class Offset(Column):
    """Categories that begin at another number than 0."""

    def __init__(self, *words, start, **more):
        super().__init__(*words, **more)
        self.start = start

    def convert(self, value, lanes=()):
        return np.asarray(value, dtype=np.int64).reshape(lanes + self.shape) - self.start


class Letters(Column):
    """A text as one category a character: 0 after its end, else 1 and its place in the charset."""

    def __init__(self, *words, space, **more):
        super().__init__(*words, **more)
        self.places = {c: i + 1 for i, c in enumerate(space.character_list)}

    def convert(self, value):
        row = np.zeros(self.size, dtype=np.int64)
        row[: len(value)] = [self.places[c] for c in value]
        return row


class Which(Column):
    """Which of the alternatives of a OneOf space a value is of."""

    def convert(self, value):
        return int(value[0])


class Alternative(Column):
    """A column of one alternative of a OneOf space; zeros where the value is of another one."""

    def __init__(self, number, column):
        super().__init__(column.role, column.key, column.path, column.kind, column.dtype, column.shape)
        self.low, self.high, self.categories = column.low, column.high, column.categories
        self.number, self.column, self.inner = number, column, ()

    def convert(self, value):
        if int(value[0]) != self.number:
            return np.zeros(self.shape, dtype=self.dtype)
        part = value[1]
        for index in self.inner:
            part = part[index]
        return row_of(self.column, part)


def row_of(column, value, lanes=()):
    """A value as an array of the column's shape, or of so many lanes. Raises a Refusal where it is none."""
    if hasattr(column, "convert"):
        return column.convert(value, lanes) if lanes else column.convert(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise Refusal("its observation '%s' is no array: %s" % (column.key, error)) from None
    shape = lanes + column.shape
    if array.shape != shape:
        if array.size != 1 or column.size != 1 or lanes not in ((), (1,)):
            raise Refusal("its column '%s' has the shape %s, and should have %s" % (column.key, array.shape, shape))
        array = array.reshape(shape)
    if not np.can_cast(array.dtype, column.dtype, "same_kind") and column.dtype != bool:
        raise Refusal(
            "its column '%s' has elements of type %s, and should have %s" % (column.key, array.dtype, column.dtype)
        )
    return array


def shaped(array, shape):
    return array.reshape(array.shape[:-1] + shape)


class Actions:
    """The columns of an action space, and how rows become an action: that of a lane, or of all with a slice."""

    def __init__(self, space):
        self.columns = []
        self.read = self.add(space, "action")

    def add(self, space, key):
        """A function of (slabs, lane) that gives the value of that part."""
        kind, number = type(space).__name__, len(self.columns)
        if kind == "Discrete":
            self.column(key, "categorical", "int64", (), [space.n])
            start = np.int64(space.start)
            if start == 0:
                return lambda slabs, lane: slabs[number][lane]
            return lambda slabs, lane: slabs[number][lane] + start
        if kind in ("MultiDiscrete", "MultiBinary"):
            shape = tuple(space.shape)
            nvec = np.asarray(space.nvec).reshape(-1) if kind == "MultiDiscrete" else np.full(int(np.prod(shape)), 2)
            start = np.asarray(getattr(space, "start", 0))
            dtype = space.dtype
            self.column(key, "multi_categorical", "int64", (nvec.size,), nvec)
            return lambda slabs, lane: (shaped(slabs[number][lane], shape) + start).astype(dtype)
        if kind == "Box":
            return self.add_box(space, key)
        if kind in ("Dict", "Tuple"):
            parts = [(index, self.add(part, key + "." + name)) for name, index, part in children(space)]
            if kind == "Dict":
                return lambda slabs, lane: {index: read(slabs, lane) for index, read in parts}
            return lambda slabs, lane: tuple(read(slabs, lane) for _, read in parts)
        raise unmappable("action", key, space, "policies have no actions for")

    def add_box(self, space, key):
        number, shape, dtype = len(self.columns), tuple(space.shape), space.dtype
        low, high = space.low.astype("float64").reshape(-1), space.high.astype("float64").reshape(-1)
        if np.issubdtype(dtype, np.floating):
            bounded = np.isfinite(low).any() or np.isfinite(high).any()
            bounds = (low, high) if bounded else ((), ())
            self.columns.append(
                Column("action", key, (), "bounded" if bounded else "unbounded", "float32", shape, bounds[0], bounds[1])
            )
            return lambda slabs, lane: slabs[number][lane].astype(dtype)
        counts = high - low + 1
        if not np.isfinite(counts).all() or counts.max() > 65536:
            raise unmappable("action", key, space, "has too many whole numbers to choose from")
        start = space.low.reshape(-1).astype(np.int64)
        self.column(key, "multi_categorical", "int64", (counts.size,), counts.astype(np.int64))
        return lambda slabs, lane: shaped(slabs[number][lane] + start, shape).astype(dtype)

    def column(self, key, kind, dtype, shape, categories):
        self.columns.append(Column("action", key, (), kind, dtype, shape, categories=categories))


# ---------------------------------------------------------------------------------------------------------------------
# Environments


def make_env(config, lanes=None):
    """One environment from an id or module:Class; with a number of lanes a vector environment."""
    name, kwargs, limit = config["id"], config["kwargs"], config["max_episode_steps"]
    try:
        import gymnasium
    except ImportError as error:
        if error.name != "gymnasium":
            raise
        raise missing("gymnasium") from error
    module, colon, cls = name.partition(":")
    try:
        if module == "dm_control" and lanes is None:
            env = as_gymnasium(gymnasium, dm_control_task(cls), **kwargs)
            return gymnasium.wrappers.TimeLimit(env, limit) if limit > 0 else env
        if colon and not any(c in cls for c in "-/"):  # gymnasium's own "module:Id-v0" has a version
            import importlib

            loaded = importlib.import_module(module)
            if not hasattr(loaded, cls):
                raise Refusal("the module %s (%s) has no class %s" % (module, loaded.__file__, cls))
            if lanes is not None:
                return getattr(loaded, cls)(num_envs=lanes, **kwargs)
            env = as_gymnasium(gymnasium, getattr(loaded, cls), **kwargs)
            return gymnasium.wrappers.TimeLimit(env, limit) if limit > 0 else env
        if lanes is not None:
            return make_vector(gymnasium, name, lanes, kwargs if limit < 0 else dict(kwargs, max_episode_steps=limit or -1))
        return gymnasium.make(name, **kwargs) if limit < 0 else gymnasium.make(name, limit or -1, **kwargs)
    except gymnasium.error.UnregisteredEnv as error:
        raise unknown_id(gymnasium, name) from error
    except gymnasium.error.Error as error:
        raise Refusal("gymnasium cannot make '%s': %s" % (name, " ".join(str(error).split()))) from error
    except ModuleNotFoundError as error:
        raise Refusal(
            "'%s' needs the module %s, which %s does not find: install it with '%s -m pip install ...', or put its folder "
            "into PYTHONPATH" % (name, error.name, sys.executable, sys.executable)
        ) from error
    except Refusal:
        raise
    except TypeError as error:
        raise Refusal("the constructor of '%s' refuses its kwargs %s: %s" % (name, kwargs, sentence_of(error))) from error
    except Exception as error:
        raise Refusal("the constructor of '%s' failed: %s" % (name, sentence_of(error))) from error


def as_gymnasium(gymnasium, factory, **kwargs):
    """What a class or function makes, as it is, or with Gymnasium's interface around dm_env's."""
    env = factory(**kwargs)
    if hasattr(env, "observation_space") or not hasattr(env, "observation_spec"):
        return env
    return dm_env_class(gymnasium)(env, factory, kwargs)


def dm_env_class(gymnasium):
    from gymnasium import spaces

    def space_of(spec):
        """Of an array spec, a DiscreteArray, or a dict, list or tuple of them."""
        if hasattr(spec, "items"):
            return spaces.Dict(**{name: space_of(part) for name, part in spec.items()})
        if isinstance(spec, (list, tuple)):
            return spaces.Tuple([space_of(part) for part in spec])
        if hasattr(spec, "num_values"):
            return spaces.Discrete(int(spec.num_values))
        dtype = np.dtype(spec.dtype)
        if dtype == bool:
            return spaces.MultiBinary(spec.shape)
        low, high = getattr(spec, "minimum", -np.inf), getattr(spec, "maximum", np.inf)
        if np.issubdtype(dtype, np.integer):
            low, high = np.maximum(low, np.iinfo(dtype).min), np.minimum(high, np.iinfo(dtype).max)
        return spaces.Box(*(np.broadcast_to(b, spec.shape).astype(dtype) for b in (low, high)), spec.shape, dtype)

    class DmEnv(gymnasium.Env):
        """An episode that ends with discount 0 is terminated, with another one truncated."""

        def __init__(self, env, factory, kwargs):
            self.env, self.factory, self.kwargs = env, factory, kwargs
            self.observation_space = space_of(env.observation_spec())
            self.action_space = space_of(env.action_spec())
            parameters = inspect.signature(factory).parameters
            self.takes_seed = next((name for name in ("seed", "random_state") if name in parameters), None)

        def reset(self, *, seed=None, options=None):
            if seed is not None and self.takes_seed:
                self.env = self.factory(**dict(self.kwargs, **{self.takes_seed: seed}))
            return self.env.reset().observation, {}

        def step(self, action):
            now = self.env.step(action)
            over = now.last()
            ends = over and now.discount == 0
            return now.observation, float(now.reward or 0), ends, over and not ends, {"discount": now.discount}

        def close(self):
            self.env.close()

    return DmEnv


def dm_control_task(name):
    """A factory of a task of the suite: 'cheetah-run'."""
    domain, dash, task = name.rpartition("-")

    def make(seed=None, **kwargs):
        from dm_control import suite

        if (domain, task) not in suite.ALL_TASKS:
            names = ["-".join(pair) for pair in suite.ALL_TASKS]
            raise Refusal("dm_control's suite has no task '%s'%s" % (name, did_you_mean(name, names, 0.5)))
        kwargs = dict(kwargs)
        if seed is not None:
            kwargs["random"] = seed
        return suite.load(domain, task, task_kwargs=kwargs)

    return make


def make_vector(gymnasium, name, lanes, kwargs):
    """The vector form of an id, or several of its single environments in one; its episodes begin in the step in which the
    last one ends, where it can do that."""
    same_step = gymnasium.vector.AutoresetMode.SAME_STEP
    module, colon, plain = name.partition(":")
    if colon:
        __import__(module)
    entry = gymnasium.spec(plain if colon else name).vector_entry_point
    if entry is None:
        options = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": same_step}}
        return gymnasium.make_vec(name, lanes, **options, **kwargs)
    create = gymnasium.envs.registration.load_env_creator(entry) if isinstance(entry, str) else entry
    if "autoreset_mode" not in kwargs and "autoreset_mode" in inspect.signature(create).parameters:
        kwargs = dict(kwargs, autoreset_mode=same_step)
    return gymnasium.make_vec(name, lanes, vectorization_mode="vector_entry_point", **kwargs)


def did_you_mean(name, known, similarity):
    """'; did you mean X or Y?', or nothing where no known name is so similar."""
    import difflib

    near = difflib.get_close_matches(name, known, 3, similarity)
    return "; did you mean %s?" % " or ".join("'%s'" % n for n in near) if near else ""


def unknown_id(gymnasium, name):
    return Refusal(
        "there is no environment '%s' in gymnasium %s%s (ids of other packages are 'package:Id-v0')"
        % (name, gymnasium.__version__, did_you_mean(name, list(gymnasium.registry), 0.6))
    )


class World:
    """What an environment looks like to the program: its columns, and where their values are found."""

    def __init__(self, env, config):
        self.infos, self.mask = [], None
        space = env.observation_space
        if config["action_mask"] != "none":
            space = self.find_mask(env, space, config["action_mask"])
        self.observations = observation_columns(space, "observation", leave_out=config["leave_out"])
        for key in config["leave_out"]:
            self.check_part(space, key)
        if not self.observations:
            raise Refusal("leave_out leaves no observation")
        if self.mask == "observation" and len(space.spaces) == 1:
            for column in self.observations:  # {"observation": ..., "action_mask": ...}
                column.key = column.key.replace("observation.%s" % column.path[0], "observation", 1)
        self.actions = Actions(env.action_space)
        if self.mask:
            choices = (int(env.action_space.n),)
            self.observations.append(Column("observation", "action_mask", (self.mask_key,), "binary", "bool", choices))
        samples = dict(env.reset(seed=0)[1]) if config["infos"] else {}
        if not all(name in samples for name in config["infos"]):
            samples.update(self.infos_of_a_step(env, samples))
        for name in config["infos"]:
            if name not in samples:
                known = ", ".join(sorted(str(key) for key in samples)) or "none"
                raise Refusal("there is no info '%s' after a reset and a step; there are: %s" % (name, known))
            self.infos.append(info_column(name, samples[name]))
        spec = getattr(env, "spec", None)
        self.limit = getattr(spec, "max_episode_steps", None) or max(0, config["max_episode_steps"])

    @staticmethod
    def check_part(space, key):
        for name in key.split(".")[1:]:
            parts = dict((n, part) for n, _, part in children(space)) if hasattr(space, "spaces") else {}
            if name not in parts:
                raise Refusal("leave_out names '%s', which the observation space has not; there %s" % (
                    key, "are: " + ", ".join(parts) if parts else "are no parts"))
            space = parts[name]

    def find_mask(self, env, space, name):
        """The space without the mask."""
        import gymnasium

        key, auto = ("action_mask", True) if name == "auto" else (name, False)
        discrete = type(env.action_space).__name__ == "Discrete"
        if auto and not discrete:
            return space
        if not discrete:
            raise Refusal("action_mask needs a Discrete action space, and there is %s" % env.action_space)
        self.mask_key = key
        if type(space).__name__ == "Dict" and key in space.spaces:
            self.mask = "observation"
            return gymnasium.spaces.Dict(**{k: v for k, v in space.spaces.items() if k != key})
        infos = env.reset(seed=0)[1]
        if np.size(infos.get(key, ())) == env.action_space.n:
            self.mask = "info"
        elif not auto:
            raise Refusal("there is no info or observation '%s' with one element an action" % name)
        return space

    def infos_of_a_step(self, env, infos):
        env.action_space.seed(0)
        mask = np.asarray(infos[self.mask_key], np.int8) if self.mask == "info" else None
        return env.step(env.action_space.sample() if mask is None else env.action_space.sample(mask))[4]

    def lines(self):
        out = ["limit\t%d" % self.limit]
        return out + [column.line() for column in self.observations + self.actions.columns + self.infos]


def info_column(name, value):
    array = np.asarray(value)
    dtype = STORED.get(array.dtype.name)
    if dtype is None:
        raise Refusal("the info '%s' is %r, which is no number and no array of numbers" % (name, value))
    return Column("extra", "info." + name, (name,), "binary" if dtype == "bool" else "unbounded", dtype, array.shape)


# ---------------------------------------------------------------------------------------------------------------------
# The shared memory


class Slab:
    """Views of the shared memory at the offsets that the program chose."""

    TEXT = 3072

    def __init__(self, layout, world):
        lanes = layout["lanes"]
        self.memory = mmap.mmap(MEMORY, layout["size"])

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

    def say(self, text):
        data = text.encode("utf-8", "replace")[: self.TEXT - 1]
        self.text[: len(data)] = np.frombuffer(data, dtype=np.uint8)
        self.text[len(data)] = 0


class Lanes:
    """The environments of this worker, one a lane."""

    def __init__(self, config, world, slab):
        self.world, self.slab = world, slab
        self.envs = [make_env(config) for _ in range(config["lanes"])]
        self.read = world.actions.read
        single = world.observations[0]
        self.plain = len(world.observations) == 1 and not single.path and not hasattr(single, "convert")
        self.dtype, self.shape = single.dtype, single.shape

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
        result = self.envs[lane].reset() if seed == CONTINUE else self.envs[lane].reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            raise Refusal("reset returned no pair of an observation and infos, as Gymnasium's environments do")
        self.write(result[0], result[1], slab.observations, lane)
        self.write_infos(result[1], lane)

    def step(self, lanes):
        """Steps some lanes. What is one number a lane is read and written for all of them at once, which is faster."""
        slab, envs, read, plain = self.slab, self.envs, self.read, self.plain
        dtype, shape, observations, has_infos = self.dtype, self.shape, slab.observations[0], bool(self.world.infos)
        actions = [list(column) if column.ndim == 1 else column for column in slab.actions]
        rewards, terminated, truncated = [], [], []
        for lane in lanes:
            try:
                result = envs[lane].step(read(actions, lane))
                if len(result) != 5:
                    raise Refusal(
                        "step returned no (observation, reward, terminated, truncated, info), as Gymnasium's "
                        "environments do"
                    )
                observation, reward, over, cut, info = result
                if over or cut:
                    self.write(observation, info, slab.finals, lane, True)
                    observation, first = envs[lane].reset()
                    self.write(observation, first, slab.observations, lane)
                elif plain and getattr(observation, "dtype", None) is dtype and observation.shape == shape:
                    observations[lane] = observation
                else:
                    self.write(observation, info, slab.observations, lane)
                if has_infos:
                    self.write_infos(info, lane)
                reward, over, cut = float(reward), bool(over), bool(cut)
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

    def save(self, lane):
        try:
            return pickle.dumps(self.envs[lane], protocol=4)
        except Exception as error:
            try:
                import cloudpickle  # which Gymnasium needs: takes functions and local classes too

                return cloudpickle.dumps(self.envs[lane], protocol=4)
            except Exception:
                raise Refusal(sentence_of(error)) from error

    def load(self, lane, data):
        self.envs[lane] = pickle.loads(data)

    def close(self):
        for env in self.envs:
            env.close()


class Single:
    """One of the environments in a vector environment, as far as World asks for it."""

    def __init__(self, env):
        self.env, self.spec = env, getattr(env, "spec", None)
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space

    def reset(self, seed):
        observation, infos = self.env.reset(seed=seed)
        return observation, {k: v[0] for k, v in infos.items() if np.ndim(v) and len(v) == 1}

    def step(self, action):
        result = self.env.step(self.env.action_space.sample())
        return result[:4] + ({k: v[0] for k, v in result[4].items() if np.ndim(v) and len(v) == 1},)

    def close(self):
        self.env.close()


def mode_of(env):
    mode = getattr(env, "metadata", {}).get("autoreset_mode")
    return str(getattr(mode, "name", mode)).upper().replace("AUTORESETMODE.", "")


def check_vector(env, world, name):
    """Raises a Refusal where a vector environment is none that VectorLanes can have."""
    can_begin = hasattr(env, "all_env_ids")  # EnvPool, which begins single ones when told to
    if mode_of(env) not in ("SAME_STEP", "DISABLED") and not can_begin:
        raise Refusal(
            "the vector form of '%s' begins episodes a step late (its autoreset mode is %s) and cannot be told otherwise: "
            'leave out vector = "make_vec"' % (name, mode_of(env))
        )
    if any(hasattr(column, "convert") and not isinstance(column, Offset) for column in world.observations):
        raise Refusal("a vector environment cannot have Text or OneOf spaces here: leave out vector = \"make_vec\"")


class VectorLanes:
    """One vector environment for all lanes of this worker. Its three ways to begin the next episode become one: in the
    step in which the last one ended, with the last observation kept."""

    def __init__(self, config, world, slab):
        self.world, self.slab, self.count = world, slab, config["lanes"]
        self.env = make_env(config, self.count)
        self.read = world.actions.read
        self.mode = mode_of(self.env)
        self.by_number = hasattr(self.env, "all_env_ids")

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
        for slab in self.slab.infos:
            slab[lanes] = 0

    def step(self):
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
                self.step()
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


def nth(values, i):
    """The value of one environment: of an array, a list, or a dict or tuple of them."""
    if isinstance(values, dict):
        return {key: nth(value, i) for key, value in values.items() if isinstance(value, dict) or np.ndim(value)}
    if isinstance(values, tuple):
        return tuple(nth(value, i) for value in values)
    return values[i]


def futex_wake():
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
    call = libc.syscall
    call.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return lambda address: call(number, address, 1, 2**31 - 1)


FUTEX = futex_wake()


# ---------------------------------------------------------------------------------------------------------------------
# Messages


class Worker:
    def __init__(self):
        self.config = self.world = self.lanes = None

    def describe(self, message):
        """Says what the environments look like."""
        if np is None:
            raise missing("numpy")
        self.config = message
        env = Single(make_env(message, 1)) if message["vector"] else make_env(message)
        self.world = World(env, message)
        if message["vector"]:
            check_vector(env.env, self.world, message["id"])
        env.close()
        return "\n".join(self.world.lines())

    def open(self, message):
        """Makes the environments on a slab."""
        self.config["lanes"] = message["lanes"]
        lanes = VectorLanes if self.config["vector"] else Lanes
        self.lanes = lanes(self.config, self.world, Slab(message, self.world))
        return ""

    def save(self, message):
        return self.lanes.save(message["lane"])

    def load(self, message):
        self.lanes.load(message["lane"], message["data"])
        return ""

    def close(self, message):
        if self.lanes:
            self.lanes.close()
        os._exit(0)

    def answer(self):
        """Messages are a JSON object, and after a new line the data of load."""
        size = struct.unpack("<I", read_exactly(4))[0]
        text, _, data = read_exactly(size).partition(b"\n")
        message = json.loads(text.decode("utf-8"))
        message["data"] = data
        try:
            reply = getattr(self, message.pop("call"))(message)
            reply = b"ok\n" + (reply if isinstance(reply, bytes) else reply.encode("utf-8", "replace"))
        except (Exception, SystemExit) as error:
            reply = b"failed\n" + sentence_of(error).encode("utf-8", "replace")
        reply = struct.pack("<I", len(reply)) + reply
        while reply:
            reply = reply[os.write(MESSAGES, reply) :]


def read_exactly(size):
    out = b""
    while len(out) < size:
        piece = os.read(MESSAGES, size - len(out))
        if not piece:
            os._exit(0)
        out += piece
    return out


def main():
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    die_with_the_program()
    worker = Worker()
    while True:
        rung = struct.unpack("<Q", os.read(DOORBELL, 8))[0]
        for _ in range(rung & 0xFFFFFFFF):
            worker.answer()
        if rung >> 32:
            worker.lanes.serve()


main()

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
import json
import mmap
import pickle
import signal
import struct
import traceback

MESSAGES, MEMORY, DOORBELL, LIFE = 3, 4, 5, 6
STEP, RESET, SEED = 1, 2, 3  # what to do in a lane
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


def observation_columns(space, key, path=()):
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
            out += observation_columns(part, key + "." + name, path + (index,))
        return out
    if kind == "OneOf":
        out = [Which(role, key + ".which", path, "categorical", "int64", (), categories=[len(space.spaces)])]
        for i, part in enumerate(space.spaces):
            out += [Alternative(i, column) for column in observation_columns(part, "%s.%d" % (key, i))]
        for column in out[1:]:
            column.path, column.inner = path, column.path
        return out
    raise unmappable(role, key, space, "has no fixed number of elements")


class Offset(Column):
    """Categories that begin at another number than 0."""

    def __init__(self, *words, start, **more):
        super().__init__(*words, **more)
        self.start = start

    def convert(self, value):
        return np.asarray(value, dtype=np.int64).reshape(self.shape) - self.start


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


def row_of(column, value):
    """A value as an array of the column's shape. Raises a Refusal where it is none."""
    if hasattr(column, "convert"):
        return column.convert(value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise Refusal("its observation '%s' is no array: %s" % (column.key, error)) from None
    if array.shape != column.shape:
        if array.size != column.size or column.size != 1:
            raise Refusal(
                "its column '%s' has the shape %s, and should have %s" % (column.key, array.shape, column.shape)
            )
        array = array.reshape(column.shape)
    if not np.can_cast(array.dtype, column.dtype, "same_kind") and column.dtype != bool:
        raise Refusal(
            "its column '%s' has elements of type %s, and should have %s" % (column.key, array.dtype, column.dtype)
        )
    return array


class Actions:
    """The columns of an action space, and how rows become an action."""

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
            return lambda slabs, lane: (slabs[number][lane].reshape(shape) + start).astype(dtype)
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
        return lambda slabs, lane: (slabs[number][lane] + start).reshape(shape).astype(dtype)

    def column(self, key, kind, dtype, shape, categories):
        self.columns.append(Column("action", key, (), kind, dtype, shape, categories=categories))


# ---------------------------------------------------------------------------------------------------------------------
# Environments


def make_env(config):
    """One environment from an id or module:Class."""
    name, kwargs, limit = config["id"], config["kwargs"], config["max_episode_steps"]
    try:
        import gymnasium
    except ImportError as error:
        if error.name != "gymnasium":
            raise
        raise missing("gymnasium") from error
    module, colon, cls = name.partition(":")
    try:
        if colon and not any(c in cls for c in "-/"):  # gymnasium's own "module:Id-v0" has a version
            import importlib

            loaded = importlib.import_module(module)
            if not hasattr(loaded, cls):
                raise Refusal("the module %s (%s) has no class %s" % (module, loaded.__file__, cls))
            env = getattr(loaded, cls)(**kwargs)
            return gymnasium.wrappers.TimeLimit(env, limit) if limit > 0 else env
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


def unknown_id(gymnasium, name):
    import difflib

    near = difflib.get_close_matches(name, list(gymnasium.registry), 3, 0.6)
    help_text = "; did you mean %s?" % " or ".join("'%s'" % n for n in near) if near else ""
    return Refusal(
        "there is no environment '%s' in gymnasium %s%s (ids of other packages are 'package:Id-v0')"
        % (name, gymnasium.__version__, help_text)
    )


class World:
    """What an environment looks like to the program: its columns, and where their values are found."""

    def __init__(self, env, config):
        self.infos, self.mask = [], None
        space = env.observation_space
        if config["action_mask"] != "none":
            space = self.find_mask(env, space, config["action_mask"])
        self.observations = observation_columns(space, "observation")
        if self.mask == "observation" and len(space.spaces) == 1:
            for column in self.observations:  # {"observation": ..., "action_mask": ...}
                column.key = column.key.replace("observation.%s" % column.path[0], "observation", 1)
        self.actions = Actions(env.action_space)
        if self.mask:
            choices = (int(env.action_space.n),)
            self.observations.append(Column("observation", "action_mask", (self.mask_key,), "binary", "bool", choices))
        samples = {}
        for name in config["infos"]:
            samples = samples or self.sample(env)
            if name not in samples:
                known = ", ".join(sorted(str(key) for key in samples)) or "none"
                raise Refusal("there is no info '%s' after a reset and a step; there are: %s" % (name, known))
            self.infos.append(info_column(name, samples[name]))
        spec = getattr(env, "spec", None)
        self.limit = getattr(spec, "max_episode_steps", None) or max(0, config["max_episode_steps"])

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

    def sample(self, env):
        env.action_space.seed(0)
        infos = dict(env.reset(seed=0)[1])
        infos.update(env.step(env.action_space.sample())[4])
        return infos

    def lines(self):
        out = ["limit\t%d" % self.limit]
        return out + [column.line() for column in self.observations + self.actions.columns + self.infos]


def info_column(name, value):
    array = np.asarray(value)
    dtype = STORED.get(array.dtype.name)
    if dtype is None:
        raise Refusal("the info '%s' is %r, which is no number and no array of numbers" % (name, value))
    column = Column("extra", "info." + name, (name,), "binary" if dtype == "bool" else "unbounded", dtype, array.shape)
    return column


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

    def step(self, lane):
        slab, env = self.slab, self.envs[lane]
        result = env.step(self.read(slab.actions, lane))
        try:
            observation, reward, terminated, truncated, info = result
        except (TypeError, ValueError):
            raise Refusal(
                "step returned no (observation, reward, terminated, truncated, info), as Gymnasium's environments do"
            ) from None
        slab.reward[lane] = reward
        slab.terminated[lane] = terminated
        slab.truncated[lane] = truncated
        if terminated or truncated:
            self.write(observation, info, slab.finals, lane, True)
            observation, first = env.reset()
            self.write(observation, first, slab.observations, lane)
        else:
            self.write(observation, info, slab.observations, lane)
        self.write_infos(info, lane)

    def serve(self):
        """Does what waits in the shared memory, then rings the program's bell."""
        slab = self.slab
        for lane in (slab.request != slab.done).nonzero()[0].tolist():
            number = slab.request[lane]
            try:
                if slab.command[lane] == STEP:
                    self.step(lane)
                else:
                    self.reset(lane)
            except (Exception, SystemExit) as error:
                slab.failed[lane] = 1
                slab.say(sentence_of(error))
            slab.done[lane] = number  # last: x86 keeps the order of stores
        slab.bell[0] += 1
        FUTEX(slab.address)

    def save(self, lane):
        try:
            return pickle.dumps(self.envs[lane], protocol=4)
        except Exception as error:
            raise Refusal(sentence_of(error)) from error

    def load(self, lane, data):
        self.envs[lane] = pickle.loads(data)

    def close(self):
        for env in self.envs:
            env.close()


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
        env = make_env(message)
        self.world = World(env, message)
        env.close()
        return "\n".join(self.world.lines())

    def open(self, message):
        """Makes the environments on a slab."""
        self.config["lanes"] = message["lanes"]
        self.lanes = Lanes(self.config, self.world, Slab(message, self.world))
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

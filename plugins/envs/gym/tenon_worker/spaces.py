# SPDX-License-Identifier: Apache-2.0
"""Observation spaces as columns of the program."""

import numpy as np

from .sentences import Refusal

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


class Column:
    """A part of a space: a column of the program, and how a value becomes a row of it."""

    group = ""  # of agents

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
        return "\t".join(fields + [joined(int(n) for n in self.categories), self.group])


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


class Unmappable(Refusal):
    """A part of a space that has no columns."""

    def __init__(self, role, key, space, why):
        super().__init__("the part '%s' of the %s space is %s, which %s" % (key, role, space, why))
        self.key, self.kind, self.why = key, type(space).__name__, why

    def note(self):
        """The same in each process: the text of a space may have addresses."""
        return "'%s' is left out, because a space of the type %s %s; leave_out = [\"%s\"] leaves it out without this warning" % (
            self.key,
            self.kind,
            self.why,
            self.key,
        )


def children(space):
    """The parts of a Dict or Tuple space with their names, in the order of the space."""
    if isinstance(space.spaces, dict):
        return [(str(name), name, part) for name, part in space.spaces.items()]
    return [(str(i), i, part) for i, part in enumerate(space.spaces)]


def observation_columns(space, key, path=(), leave_out=(), unmapped=None):
    """The columns of a space, without the parts whose keys are in leave_out. A part of a Dict or Tuple that has none is
    added to the list `unmapped`, as an Unmappable; without a list, that is raised."""
    kind = type(space).__name__
    role = "observation"
    if kind == "Box":
        dtype = STORED.get(np.dtype(space.dtype).name)
        if dtype is None:
            raise Unmappable(role, key, space, "has elements of type %s" % np.dtype(space.dtype).name)
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
            if key + "." + name in leave_out:
                continue
            try:
                out += observation_columns(part, key + "." + name, path + (index,), leave_out, unmapped)
            except Unmappable as error:
                if unmapped is None:
                    raise
                unmapped.append(error)
        return out
    if kind == "OneOf":
        out = [Which(role, key + ".which", path, "categorical", "int64", (), categories=[len(space.spaces)])]
        for i, part in enumerate(space.spaces):
            out += [Alternative(i, column) for column in observation_columns(part, "%s.%d" % (key, i))]
        for column in out[1:]:
            column.path, column.inner = path, column.path
        return out
    raise Unmappable(role, key, space, "has no fixed number of elements")


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

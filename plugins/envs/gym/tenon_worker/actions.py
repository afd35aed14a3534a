# SPDX-License-Identifier: Apache-2.0
"""Action spaces as columns of the program."""

import numpy as np

from .spaces import Column, Unmappable, children


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
        raise Unmappable("action", key, space, "policies have no actions for")

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
            raise Unmappable("action", key, space, "has too many whole numbers to choose from")
        start = space.low.reshape(-1).astype(np.int64)
        self.column(key, "multi_categorical", "int64", (counts.size,), counts.astype(np.int64))
        return lambda slabs, lane: shaped(slabs[number][lane] + start, shape).astype(dtype)

    def column(self, key, kind, dtype, shape, categories):
        self.columns.append(Column("action", key, (), kind, dtype, shape, categories=categories))


def shaped(array, shape):
    return array.reshape(array.shape[:-1] + shape)

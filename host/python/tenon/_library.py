# SPDX-License-Identifier: Apache-2.0
"""The library lib/tenon/libtenon.so, whose functions host/library/tenon.h describes, and the columns of a handle as
numpy arrays on its own memory."""

import ctypes
import functools
import json
import os

import numpy as np

from ._program import HOME
from ._run import TenonError

SIGNATURES = {
    "tenon_error": (ctypes.c_char_p, []),
    "tenon_env_open": (ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_char_p), ctypes.c_uint64]),
    "tenon_policy_open": (ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64]),
    "tenon_close": (None, [ctypes.c_void_p]),
    "tenon_columns": (ctypes.c_char_p, [ctypes.c_void_p]),
    "tenon_column": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "tenon_final": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "tenon_head": (ctypes.c_uint32, [ctypes.c_void_p]),
    "tenon_env_reset": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_int64]),
    "tenon_policy_begin": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    "tenon_env_step": (ctypes.c_int, [ctypes.c_void_p]),
    "tenon_policy_act": (ctypes.c_int, [ctypes.c_void_p]),
}


@functools.cache
def library():
    """Opened once; the program's folder is this package, whatever program this process is."""
    os.environ["TENON_HOME"] = str(HOME)
    loaded = ctypes.CDLL(str(HOME / "lib" / "tenon" / "libtenon.so"))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def text_of(value):
    return None if value is None else os.fsencode(value)


class Handle:
    """An env or a policy, with its columns."""

    def __init__(self, address, lanes):
        self.library, self.address, self.lanes = library(), address, lanes
        if not address:
            self.fail(2)
        self.columns = {column["key"]: column for column in json.loads(self.library.tenon_columns(address))}
        self.memory = {key: self.array(self.library.tenon_column, key) for key in self.columns}
        self.final = {key: self.array(self.library.tenon_final, key) for key, column in self.columns.items() if column["final"]}

    def array(self, find, key):
        """The two slots of a column; it keeps the handle, whose memory it is."""
        column = self.columns[key]
        dtype = np.dtype(column["dtype"])
        shape = (2, self.lanes, *column["shape"])
        size = int(np.prod(shape)) * dtype.itemsize
        buffer = (ctypes.c_byte * size).from_address(find(self.address, key.encode()))
        buffer.owner = self
        return np.frombuffer(buffer, dtype=dtype).reshape(shape)

    def of_role(self, role):
        return [key for key, column in self.columns.items() if column["role"] == role]

    def head(self):
        return self.library.tenon_head(self.address)

    def call(self, function, *arguments):
        code = function(self.address, *arguments)
        if code:
            self.fail(code)

    def fail(self, code):
        raise TenonError(code, self.library.tenon_error().decode("utf-8", "replace"))

    def close(self):
        address, self.address = self.address, None
        if address:
            self.library.tenon_close(address)

    def __del__(self):
        if getattr(self, "address", None):
            self.close()


def packed(values):
    """One array for one column, else a dictionary."""
    return next(iter(values.values())) if len(values) == 1 else values


def unpacked(value, keys):
    if isinstance(value, dict):
        lacking = [key for key in keys if key not in value]
        if lacking:
            raise ValueError(f"there is no {', '.join(lacking)}; needed are {', '.join(keys)}")
        return value
    if len(keys) != 1:
        raise ValueError(f"a dictionary is needed, with {', '.join(keys)}")
    return {keys[0]: value}

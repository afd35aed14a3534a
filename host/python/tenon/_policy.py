# SPDX-License-Identifier: Apache-2.0
"""The policy of a run as a function."""

import numpy as np

from ._library import Handle, library, packed, text_of, unpacked


class Policy:
    """Acts on observations: an array of one observation or of `lanes` ones, or a dictionary of such arrays by column.
    Returns the action in the same form. A policy with a memory keeps it from call to call; begin() forgets it."""

    def __init__(self, folder, checkpoint=None, actions=None, lanes=1):
        opened = library().tenon_policy_open(text_of(folder), text_of(checkpoint), text_of(actions), lanes)
        self._handle = Handle(opened, lanes)
        self._observations = self._handle.of_role("observation")
        self._actions = self._handle.of_role("action")
        head = self._handle.head()
        self._in = {key: self._handle.memory[key][head] for key in self._observations}
        self._out = {key: self._handle.memory[key][head] for key in self._actions}
        self._act, self._address = self._handle.library.tenon_policy_act, self._handle.address

    def begin(self, lanes=None):
        """The next observations are the first of their episodes, in all lanes or where the array is true."""
        mask = None if lanes is None else np.ascontiguousarray(lanes, dtype=np.uint8)
        if mask is not None and mask.shape != (self._handle.lanes,):
            raise ValueError(f"begin needs {self._handle.lanes} values, not {mask.shape}")
        self._handle.call(self._handle.library.tenon_policy_begin, None if mask is None else mask.ctypes.data)

    def __call__(self, observation):
        single = True
        for key, value in unpacked(observation, self._observations).items():
            rows = self._in.get(key)
            if rows is None:
                continue
            value = np.asarray(value)
            single = value.shape == rows.shape[1:]
            if not single and value.shape != rows.shape:
                raise ValueError(f"'{key}' is {list(value.shape)}, but the policy takes {list(rows.shape[1:])} or {list(rows.shape)}")
            if single and len(rows) != 1:
                raise ValueError(f"'{key}' is one observation, but the policy acts for {len(rows)}")
            rows[...] = value
        if self._act(self._address):
            self._handle.fail(3)
        out = {key: rows[0].copy() if single else rows.copy() for key, rows in self._out.items()}
        return packed(out)


def load_policy(folder, checkpoint=None, actions=None, lanes=1):
    """The policy of a run's folder: its best checkpoint, or the one that is named ("last", a number of frames)."""
    return Policy(folder, checkpoint if checkpoint is None else str(checkpoint), actions, lanes)

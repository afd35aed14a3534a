# SPDX-License-Identifier: Apache-2.0
# Peer: the Python package safetensors 0.8.0 with numpy.
#
#   python safetensors_peer.py write ../safetensors_peer.safetensors   the fixture that our reader must read
#   python safetensors_peer.py check FILE                              reads what tests/unit/checkpoint writes to
#                                                                      TENON_KEEP_SAFETENSORS=FILE
import sys

import numpy
import safetensors.numpy
from safetensors import safe_open

TENSORS = {
    "actor.0.weight": numpy.array([[1.5, -2.0, 0.0], [3.25e-39, 1e38, -0.0]], dtype=numpy.float32),
    "actor.0.bias": numpy.array([0.1, -1e300, numpy.pi], dtype=numpy.float64),
    "counter": numpy.array(-(2**62) - 1, dtype=numpy.int64),
    "index": numpy.array([[7], [-8]], dtype=numpy.int32),
    "pixels": numpy.array([0, 127, 255], dtype=numpy.uint8),
    "done": numpy.array([True, False, True], dtype=numpy.bool_),
    "empty": numpy.zeros((0, 4), dtype=numpy.float32),
}
METADATA = {"frames": "1000", "note": 'quote " backslash \\ newline \n and \u00fc'}


def check(path):
    with safe_open(path, framework="numpy") as file:
        assert file.metadata() == METADATA, file.metadata()
        assert set(file.keys()) == set(TENSORS), file.keys()
        for name, wanted in TENSORS.items():
            found = file.get_tensor(name)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape, name
            assert found.tobytes() == wanted.tobytes(), name
    print(path, "is what it should be")


if __name__ == "__main__":
    action, path = sys.argv[1:]
    if action == "write":
        safetensors.numpy.save_file(TENSORS, path, METADATA)
    check(path)

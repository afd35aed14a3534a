# SPDX-License-Identifier: Apache-2.0
"""Reads messages of Protocol Buffers without their description, as far as ONNX needs it."""


def fields(data):
    """The fields of a message of Protocol Buffers: numbers, and bytes."""
    at = 0

    def varint():
        nonlocal at
        out, shift = 0, 0
        while True:
            byte = data[at]
            at, out, shift = at + 1, out | (byte & 127) << shift, shift + 7
            if byte < 128:
                return out

    while at < len(data):
        field, kind = divmod(varint(), 8)
        value = varint()
        if kind == 2:
            value, at = data[at : at + value], at + value
        elif value >= 1 << 63:
            value -= 1 << 64
        yield field, value


def all_of(data, field):
    return [value for number, value in fields(data) if number == field]

# SPDX-License-Identifier: Apache-2.0
"""Reads the animated PNG of tenon play by Python's zlib."""

import struct
import zlib


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at = 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body), kind
        yield kind, body
        at += 12 + size


def rows_of(packed, width):
    """The rows of a frame whose filters are all 'up'."""
    raw = zlib.decompress(packed)
    above = bytes(3 * width)
    for at in range(0, len(raw), 3 * width + 1):
        assert raw[at] == 2, raw[at]
        above = bytes((new + old) & 255 for new, old in zip(raw[at + 1:at + 1 + 3 * width], above))
        yield above


def frames_of(path):
    """The pictures of an animated PNG, each as bytes, and its milliseconds a frame."""
    found = list(chunks(path.read_bytes()))
    width, height = struct.unpack_from(">II", found[0][1])
    count = struct.unpack_from(">I", found[1][1])[0]
    canvas = bytearray(3 * width * height)
    frames, numbers, rate = [], [], None
    for kind, body in found:
        if kind == b"fcTL":
            number, wide, high, left, top, rate, per = struct.unpack_from(">IIIIIHH", body)
            assert per == 1000
            numbers.append(number)
        elif kind in (b"IDAT", b"fdAT"):
            if kind == b"fdAT":
                numbers.append(struct.unpack_from(">I", body)[0])
                body = body[4:]
            for row, part in enumerate(rows_of(body, wide)):
                begin = 3 * ((top + row) * width + left)
                canvas[begin:begin + 3 * wide] = part
            assert row + 1 == high
            frames.append(bytes(canvas))
    assert numbers == list(range(len(numbers))), "the animation's chunks are numbered in order"
    assert len(frames) == count
    return frames, rate

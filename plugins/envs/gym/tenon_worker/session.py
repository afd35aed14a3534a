# SPDX-License-Identifier: Apache-2.0
"""The messages of the program and what they ask for."""

import json
import os
import struct

from .sentences import missing, sentence_of

MESSAGES = 3  # its descriptor


class Session:
    def __init__(self):
        self.config = self.world = self.lanes = None

    def describe(self, message):
        """Says what the environments look like."""
        try:
            from . import environments
        except ModuleNotFoundError as error:
            if error.name != "numpy":
                raise
            raise missing("numpy") from error
        self.config = message
        self.world = environments.describe(message)
        return "\n".join(self.world.lines())

    def open(self, message):
        """Makes the environments on a slab."""
        from . import environments

        self.config["lanes"], self.config["draws"] = message["lanes"], message["draws"]
        self.lanes = environments.open(self.config, self.world, message)
        return ""

    def picture(self, message):
        """The size of a picture, and how many of them a second of the world has."""
        from . import pictures

        return "%d %d %r" % pictures.describe(self.config)

    def draw(self, message):
        return self.lanes.draw(message["lane"])

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

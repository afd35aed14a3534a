# SPDX-License-Identifier: Apache-2.0
"""The messages of the program and what they ask for."""

import json

from .sentences import Refusal, at_option, missing, sentence_of


class Session:
    """Answers messages. `share` gives so many bytes of memory that the program sees too."""

    def __init__(self, share):
        self.share = share
        self.config = self.world = self.lanes = self.goals_of = None
        self.is_over = False

    def interpreter(self, message):
        """For a program that runs this interpreter in its own process: the library, and what prepare is given there."""
        from .library import find_library, settings

        return find_library() + "\n" + json.dumps(settings())

    def versions(self, message):
        """The interpreter's version and those of distributions; the name alone of one that is missing."""
        import platform
        from importlib import metadata

        lines = ["python " + platform.python_version()]
        for name in message["packages"].split():
            try:
                lines.append(name + " " + metadata.version(name))
            except metadata.PackageNotFoundError:
                lines.append(name)
        return "\n".join(lines)

    def describe(self, message):
        """Says what the environments look like."""
        self.config = message
        try:
            self.world = self.make_world()
        except (Exception, SystemExit) as error:
            raise Refusal(at_option(error, message)) from error
        return "\n".join(self.world.lines())

    def make_world(self):
        try:
            from . import environments
        except ModuleNotFoundError as error:
            if error.name not in ("numpy", "gymnasium"):
                raise
            raise missing(error.name) from error
        return environments.describe(self.config)

    def open(self, message):
        """Makes the environments on a slab."""
        from . import environments

        self.config["lanes"], self.config["draws"] = message["lanes"], message["draws"]
        self.lanes = environments.open(self.config, self.world, message, self.share(message["size"]))
        return ""

    def picture(self, message):
        """The size of a picture, and how many of them a second of the world has."""
        from . import pictures

        return "%d %d %r" % pictures.describe(self.config)

    def draw(self, message):
        return self.lanes.draw(message["lane"])

    def goals(self, message):
        """Whether the environments can be asked for rewards of other goals."""
        from . import environments, goals

        self.goals_of = goals.Judge(self.config["name"], environments.make_one(self.config), self.world)
        return ""

    def judge(self, message):
        return self.goals_of.judge(message["rows"], message["data"])

    def save(self, message):
        return self.lanes.save(message["lane"])

    def load(self, message):
        self.lanes.load(message["lane"], message["data"])
        return ""

    def close(self, message):
        self.is_over = True
        for opened in (self.lanes, self.goals_of):
            if opened:
                opened.close()
        return ""

    def answer(self, data):
        """Messages are a JSON object, and after a new line the data of load."""
        text, _, data = data.partition(b"\n")
        message = json.loads(text.decode("utf-8"))
        message["data"] = data
        try:
            reply = getattr(self, message.pop("call"))(message)
            return b"ok\n" + (reply if isinstance(reply, bytes) else reply.encode("utf-8", "replace"))
        except (Exception, SystemExit) as error:
            return b"failed\n" + sentence_of(error).encode("utf-8", "replace")

# SPDX-License-Identifier: Apache-2.0
"""The start of a worker: waits for the doorbell."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
del sys.path[0]  # what is beside this file; the folder of the user's modules takes its place

import faulthandler
import fcntl
import importlib.util
import signal
import struct

LIFE = 6  # a descriptor


def load_package():
    """This folder as a package, although the path of modules does not lead to it."""
    spec = importlib.util.spec_from_file_location("tenon_worker", os.path.join(HERE, "__init__.py"))
    package = sys.modules["tenon_worker"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


def die_with_the_program():
    """The kernel kills this process and those that it starts when the program's end of the pipe is closed, however the
    program ends."""
    fcntl.fcntl(LIFE, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(LIFE, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(LIFE, fcntl.F_SETFL, fcntl.fcntl(LIFE, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    try:
        if os.read(LIFE, 1) == b"":
            os._exit(1)  # it ended before
    except BlockingIOError:
        pass


def main():
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=False)
    die_with_the_program()
    load_package()
    from tenon_worker import messages
    from tenon_worker.session import Session

    session = Session(messages.share)
    while True:
        rung = struct.unpack("<Q", os.read(messages.DOORBELL, 8))[0]
        for _ in range(rung & 0xFFFFFFFF):
            answer = session.answer(messages.receive())
            if session.is_over:
                os._exit(0)
            messages.send(answer)
        if rung >> 32:
            session.lanes.serve()


main()

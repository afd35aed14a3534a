# SPDX-License-Identifier: Apache-2.0
"""A worker of the bridge: steps some environments for a program that shares memory with it.

Needs Python 3.8, numpy and gymnasium. The program starts it as `python tenon_worker`, the folder, with these descriptors:
    3  messages of the program, each answered (messages.py, session.py)
    4  the shared memory: what to do in each lane, actions, results (slab.py)
    5  the doorbell, an eventfd: its lower half counts messages, its upper half calls for the lanes in the shared memory
    6  a pipe that the program never writes to: its end means that the program is gone
They are moved out of the way of environments at once (messages.py).
Standard output and error go to memory from which the program quotes the last lines when something fails.

A program may also have all but __main__.py and messages.py in its own process (embedded.py)."""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # lanes are what runs in parallel; before numpy is imported

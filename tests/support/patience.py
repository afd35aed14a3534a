# SPDX-License-Identifier: Apache-2.0
"""How long a test waits for a process, an answer, or anything else that must come. It is the one limit of all tests: what
passes never waits so long, also on a busy machine, and what hangs fails in the end. TENON_TEST_PATIENCE, in seconds, changes it;
./test ends a whole test after 25 minutes."""

import os
import resource
import time

PATIENCE = float(os.environ.get("TENON_TEST_PATIENCE", "600"))


def processor_time():
    """In seconds, of all processes that have been waited for: what something costs, however busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_until(happened, said="it did not happen", every=0.005):
    """Returns what `happened` gives as soon as that is true. `said`, a text or a function, is for one who waits in vain; `every`,
    in seconds, for what costs much to ask."""
    end = time.monotonic() + PATIENCE
    while not (result := happened()):
        if time.monotonic() > end:
            raise AssertionError(said() if callable(said) else said)
        time.sleep(every)
    return result

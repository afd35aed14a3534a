# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that stand for machines."""

import os
import subprocess

from patience import wait_until


def permitted():
    return subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0


def unconnected(case):
    """Two network namespaces, as what stands before a command, until the test ends."""
    holders = []
    for _ in range(2):
        holder = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
        case.addCleanup(holder.wait)
        case.addCleanup(holder.kill)
        holders.append(["nsenter", "-t", str(holder.pid), "-n"])
    own = os.readlink("/proc/self/ns/net")
    wait_until(lambda: all(os.readlink(f"/proc/{holder[2]}/ns/net") != own for holder in holders))
    return holders


def connected(case, network):
    """The same with a cable between them, and the addresses NETWORK.1 and NETWORK.2; none where there is no `ip`."""
    holders = unconnected(case)
    for i, order in [(0, f"link add cable type veth peer name cable netns {holders[1][2]}"),
                     *((i, order) for i in (0, 1) for order in (f"addr add {network}.{i + 1}/24 dev cable", "link set cable up", "link set lo up"))]:  # fmt: skip
        if subprocess.run([*holders[i], "ip", *order.split()], capture_output=True).returncode != 0:
            return None
    return holders

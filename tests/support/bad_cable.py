#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cable between two network namespaces that delays and loses packets: a tun device in each, and a process that carries packets from one
to the other. Prints "ready" when both devices exist; SIGUSR1 cuts it for good.

    bad_cable.py PID PID DELAY_S LOSS        PID: of a process in each of the namespaces, which get 10.78.0.1 and 10.78.0.2
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

SET_INTERFACE = 0x400454CA
TUN_WITHOUT_HEAD = 0x1001
NEW_NETWORK = 0x40000000


def device_in(process, address):
    """The descriptor of a device in the namespace of a process."""
    with open(f"/proc/{process}/ns/net") as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_INTERFACE, struct.pack("16sH22x", b"bad", TUN_WITHOUT_HEAD))
    for order in (f"addr add {address}/24 dev bad", "link set bad up", "link set lo up"):
        subprocess.run(["ip", *order.split()], check=True)
    return device


def main():
    delay, loss = float(sys.argv[3]), float(sys.argv[4])
    ends = [device_in(process, f"10.78.0.{i + 1}") for i, process in enumerate(sys.argv[1:3])]
    cut = []
    signal.signal(signal.SIGUSR1, lambda *_: cut.append(True))
    print("ready", flush=True)
    draw, packets, number = random.Random(1), [], 0
    while True:
        wait = max(0, packets[0][0] - time.monotonic()) if packets else 1
        for end in select.select(ends, [], [], wait)[0]:
            packet, number = os.read(end, 65536), number + 1
            if not cut and draw.random() >= loss:
                heapq.heappush(packets, (time.monotonic() + delay, number, ends[end == ends[0]], packet))
        while packets and packets[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(packets)
            try:
                os.write(to, packet)
            except OSError:
                pass  # the other end is full or gone, so the packet is lost


if __name__ == "__main__":
    main()

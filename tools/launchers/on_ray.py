#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the shards of a run on a Ray cluster, one process in each bundle of a placement group:

    tools/launchers/on_ray.py --shards 4 --cpus 8 --restarts 3 -- manifest.toml --out /shared/runs/big

What follows -- are the words of `tenon run`. All nodes need the program (--tenon) and the folders of these words under the
same paths. If a shard ends by another exit code than 0, the others are ended, and the run is resumed from its last checkpoint
as often as --restarts allows. Then this program ends by that exit code, so that a Ray job fails as the run did."""

import argparse
import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


@ray.remote(max_restarts=0)
class Shard:
    """A process on a node. It ends with this actor."""

    def place(self):
        """The address of this node, and a port that is free on it."""
        with socket.socket() as probe:
            probe.bind(("", 0))
            return ray.util.get_node_ip_address(), probe.getsockname()[1]

    def start(self, command, variables, folder):
        environment = {**os.environ, **variables}
        ends_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, preexec_fn=ends_with_parent)

    def ended(self):
        """The exit code, or nothing as long as the process runs."""
        return self.process.poll()

    def end(self):
        """Asks for a checkpoint; whoever needs longer than that loses what came after the last one."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def folder_of(words):
    """The run folder that the words name."""
    for before, word in zip(words, words[1:]):
        if before in ("--out", "--resume"):
            return Path(word)
    sys.exit("on_ray.py: name the run folder with --out DIR, which all nodes see")


def run_once(group, asked, words):
    """The exit codes of all shards; nothing for those that were ended because of another one."""
    shards = [Shard.options(num_cpus=asked.cpus, num_gpus=asked.gpus, scheduling_strategy=PlacementGroupSchedulingStrategy(
        placement_group=group, placement_group_bundle_index=rank)).remote() for rank in range(asked.shards)]  # fmt: skip
    address, port = ray.get(shards[0].place.remote())
    shared = {"MASTER_ADDR": address, "MASTER_PORT": str(port), "TENON_KEY": secrets.token_hex(32), "WORLD_SIZE": str(asked.shards)}
    command = [asked.tenon, "run", *words]
    ray.get([shard.start.remote(command, {**shared, "RANK": str(rank)}, os.getcwd()) for rank, shard in enumerate(shards)])
    try:
        while True:
            codes = ray.get([shard.ended.remote() for shard in shards])  # fails if a node is lost
            if any(code not in (None, 0) for code in codes) or None not in codes:
                return codes
            time.sleep(0.5)
    except ray.exceptions.RayActorError as error:
        print(f"on_ray.py: a node of the run is lost: {error}", file=sys.stderr)
        return [1]
    finally:
        for shard in shards:
            try:
                ray.get(shard.end.remote(), timeout=30)
            except (ray.exceptions.RayError, ray.exceptions.GetTimeoutError):
                pass
            ray.kill(shard)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--shards", type=int, required=True, help="as run.shards says")
    parser.add_argument("--cpus", type=float, default=1, help="of each shard")
    parser.add_argument("--gpus", type=float, default=0, help="of each shard")
    parser.add_argument("--strategy", default="SPREAD", help="of the placement group: SPREAD, PACK, STRICT_SPREAD, STRICT_PACK")
    parser.add_argument("--restarts", type=int, default=0, help="how often the run goes on from its last checkpoint")
    parser.add_argument("--tenon", default="tenon", help="the program, on all nodes")
    parser.add_argument("--address", default=None, help="of the Ray cluster; a cluster of this machine alone: local")
    parser.add_argument("words", nargs="+", help="of `tenon run`")
    asked = parser.parse_args()
    folder = folder_of(asked.words).absolute()

    ray.init(address=asked.address, log_to_driver=True)
    group = placement_group([{"CPU": asked.cpus, "GPU": asked.gpus}] * asked.shards, strategy=asked.strategy)
    ray.get(group.ready())
    code = 1
    for attempt in range(asked.restarts + 1):
        begun = (folder / "manifest.lock.toml").exists() and attempt > 0
        codes = run_once(group, asked, ["--resume", str(folder)] if begun else asked.words)
        code = next((each for each in codes if each not in (None, 0)), 0)
        if code == 0 or abs(code) == 2:  # done, or a mistake that a restart repeats
            break
        print(f"on_ray.py: the shards ended by {codes}; {asked.restarts - attempt} restarts are left", file=sys.stderr)
    remove_placement_group(group)
    ray.shutdown()
    sys.exit(code if code >= 0 else 128 - code)


main()

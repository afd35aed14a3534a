#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shards that mpirun starts and MPI links: the bytes of those that ZeroMQ links. Each implementation is skipped with a printed
reason where it is not installed (`tools/setup mpi` brings both)."""

import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from runs import PATIENCE, TENON, RunCase, parameters, without_time
from shards_test import PPO, children_of, is_alive

MPI = Path(__file__).resolve().parents[2] / ".deps" / "mpi" / "usr"
MODULES = Path(TENON).resolve().parents[1] / "lib" / "tenon"
PROGRAMS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.hydra"}


def installed(link):
    """The command of an implementation and its variables, or why it is not used."""
    if not (MODULES / f"libtenon_link_{link}.so").exists():
        return None, f"{link} was not found when this was built: tools/setup mpi brings it"
    own = MPI / "bin" / PROGRAMS[link]
    program = str(own) if own.exists() else shutil.which(PROGRAMS[link])
    if program is None:
        return None, f"there is no {PROGRAMS[link]}: tools/setup mpi brings it"
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                 "OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mca_base_component_show_load_errors": "0"}  # fmt: skip
    if own.exists():
        libraries = [str(path) for path in MPI.glob("lib/*/openmpi/lib")] + [str(path) for path in MPI.glob("lib/*-linux-gnu")]
        variables |= {"LD_LIBRARY_PATH": ":".join(libraries), "OPAL_PREFIX": str(MPI)}
        variables |= {"PMIX_INSTALL_PREFIX": str(path) for path in MPI.glob("lib/*/pmix2")}
    return [program, "-n", "2"], variables


class Mpi(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("ppo.toml", PPO)

    def start_by(self, link, *words):
        command, variables = installed(link)
        if command is None:
            self.skipTest(variables)
        return subprocess.Popen([*command, TENON, "run", *words], env={**os.environ, **variables}, cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def assert_bytes_of_zmq(self, link):
        process = self.start_by(link, self.manifest, "--quiet", "--out", self.folder / link)
        said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, said)
        self.train(self.manifest, "--out", self.folder / "zmq")
        self.assertEqual(parameters(self.folder / link), parameters(self.folder / "zmq"))
        self.assertEqual(without_time(self.folder / link), without_time(self.folder / "zmq"))

    def test_open_mpi_gives_the_bytes_of_zeromq(self):
        self.assert_bytes_of_zmq("openmpi")

    def test_mpich_gives_the_bytes_of_zeromq(self):
        self.assert_bytes_of_zmq("mpich")

    def test_the_launcher_ends_all_when_one_is_killed(self):
        process = self.start_by("openmpi", self.manifest, "--quiet", "--out", self.folder / "run", "--set",
                                "run.total_frames=100_000_000")  # fmt: skip
        self.addCleanup(process.kill)
        self.wait_for(process, self.has_records(self.folder / "run", 2))
        shards = children_of(process.pid)
        self.assertEqual(len(shards), 2)
        os.kill(shards[1], signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse([each for each in shards if is_alive(each)])

    def test_a_mistake_is_told_once_and_ends_all(self):
        process = self.start_by("openmpi", self.manifest, "--quiet", "--out", self.folder / "run", "--set", "run.shards=4")
        said = process.communicate(timeout=PATIENCE)[1]
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("the run has 4 shards, but OMPI_COMM_WORLD_RANK is ", said)

    def test_without_its_launcher(self):
        if installed("openmpi")[0] is None:
            self.skipTest(installed("openmpi")[1])
        failed = subprocess.run([TENON, "run", self.manifest, "--out", self.folder / "run"], text=True, capture_output=True,
                                env={**os.environ, **installed("openmpi")[1], "TENON_LINK": "openmpi"})  # fmt: skip
        self.assertEqual(failed.returncode, 2)
        self.assertIn("shards that are linked by 'openmpi' are started by its launcher", failed.stderr)


if __name__ == "__main__":
    unittest.main()

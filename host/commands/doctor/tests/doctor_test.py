#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tenon doctor` finds, on this machine and on one that lacks things; scripts of `tenon completion`."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from patience import PATIENCE  # noqa: E402

TENON = Path(os.environ["TENON"])


def run(*words, code=0, program=TENON, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("TENON_PLUGIN_PATH", "VIRTUAL_ENV", "TENON_HDF5", "TENON_LEVEL")}
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=PATIENCE,
                          env={**environment, **variables})  # fmt: skip
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def parts(text):
    return {part["name"]: part for part in json.loads(text)["parts"]}


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)

    def test_what_is_here(self):
        found = json.loads(run("doctor", "--json"))
        self.assertEqual(found["cores"], len(os.sched_getaffinity(0)))
        self.assertGreater(found["memory"], 1 << 28)
        self.assertEqual(found["instructions"]["used"], found["instructions"]["available"])
        self.assertEqual(found["problems"], [])
        files = list((TENON.parent.parent / "lib/tenon/plugins").glob("*.so"))
        self.assertEqual(found["folders"][-1]["plugins"], len(files))
        here = {part["name"]: part for part in found["parts"]}
        self.assertIn("libtorch_cpu.so, version 2.", here["libtorch"]["found"])
        self.assertTrue({"libtorch", "ffmpeg", "libhdf5", "Python with gymnasium", "link zmq", "link openmpi", "link mpich"} <= set(here))
        self.assertRegex(here["link zmq"]["found"], r"^libzmq 4\.\d+\.\d+$")
        for part in found["parts"]:
            self.assertEqual(part["found"] is None, part["missing"] is not None, part)
            self.assertNotIn("/../", part["found"] or "")

    def test_what_is_missing_and_the_line_that_brings_it(self):
        """On a machine whose PATH has a Python without packages, and no ffmpeg."""
        binaries = self.folder / "bin"
        binaries.mkdir()
        (binaries / "python3").symlink_to(shutil.which("python3", path="/usr/bin"))
        lacking = parts(run("doctor", "--json", PATH=str(binaries), TENON_HDF5="/no/such/libhdf5.so", PYTHONNOUSERSITE="1",
                           TENON_LIBZMQ="/no/such/libzmq.so"))  # fmt: skip
        self.assertIn("a run with shards, or with workers that connect to it, needs ZeroMQ, but /no/such/libzmq.so cannot be loaded; install it", lacking["link zmq"]["missing"])
        self.assertEqual(lacking["link zmq"]["bring"], "apt-get install -y libzmq5")
        self.assertIn("animated PNG", lacking["ffmpeg"]["missing"])
        self.assertEqual(lacking["ffmpeg"]["bring"], "apt-get install -y ffmpeg")
        self.assertIn("TENON_HDF5 is no library", lacking["libhdf5"]["missing"])
        self.assertEqual(lacking["libhdf5"]["plugin"], "hdf5")
        python = lacking["Python with open_spiel"]
        self.assertEqual(python["missing"].split(" has no ")[0], str(binaries / "python3"))
        self.assertIn("venv/bin/pip install numpy gymnasium open_spiel", python["bring"])
        shown = run("doctor", PATH=str(binaries), TENON_LEVEL="base")
        self.assertIn("missing  ffmpeg\n         for videos as .mp4", shown)
        self.assertIn("instructions  base", shown)

    def test_no_python_at_all(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        part = parts(run("doctor", "--json", PATH=str(nothing)))["Python with gymnasium"]
        self.assertIn("there is no python3 in the PATH", part["missing"])
        self.assertIn("apt-get install", part["bring"])

    def test_a_plugin_that_cannot_be_loaded(self):
        (self.folder / "plugins").mkdir()
        (self.folder / "plugins" / "broken.so").write_bytes(b"no library")
        said = run("doctor", "--plugins", str(self.folder / "plugins"), code=3)
        self.assertIn("broken.so", said)

    def test_the_compiled_executor_alone(self):
        """An installation without libtorch trains by compiled programs and says so; the reference is refused."""
        prefix = self.folder / "prefix"
        shutil.copytree(TENON.parent.parent / "lib/tenon/plugins", prefix / "lib/tenon/plugins",
                        ignore=lambda _, names: [n for n in names if n not in ("classic.so", "mlp.so", "a2c.so")])  # fmt: skip
        (prefix / "bin").mkdir()
        shutil.copy(TENON, prefix / "bin")
        manifest = self.folder / "m.toml"
        manifest.write_text('[run]\ntotal_frames = 2000\n[env]\nplugin = "classic/CartPole-v1"\nlanes = 4\n'
                            '[policy.actor]\nplugin = "mlp/categorical"\n[policy.value]\nplugin = "mlp/value"\n'
                            '[objective]\nplugin = "a2c/a2c"\n[train]\nbatch = 128\n[eval]\nevery_frames = 2000\nepisodes = 1\n')  # fmt: skip
        program = prefix / "bin" / "tenon"
        lacking = parts(run("doctor", "--json", program=program))
        for name in ("CUDA", "NVRTC"):
            self.assertIn("the module of devices cannot be loaded: there is no libtenon_cuda.so in ", lacking[name]["missing"])
        for name in ("zmq", "openmpi"):
            self.assertIn(f"there is no libtenon_link_{name}.so in ", lacking[f"link {name}"]["missing"])
            self.assertIn(f"it is made by tools/build, by `ninja tenon_link_{name}_module`", lacking[f"link {name}"]["missing"])
            self.assertIsNone(lacking[f"link {name}"]["bring"])
        part = lacking["libtorch"]
        self.assertIn("libtenon_torch.so", part["missing"])
        self.assertIn("pip install 'torch==2.", part["bring"])
        (prefix / "clone").write_text("/a clone")
        lacking = parts(run("doctor", "--json", program=program))
        self.assertEqual(lacking["libtorch"]["bring"], "'/a clone/tools/setup' libtorch && '/a clone/tenon' doctor")
        self.assertEqual(lacking["link mpich"]["bring"], "'/a clone/tools/setup' mpi && '/a clone/tools/build'")
        (prefix / "clone").unlink()
        out = self.folder / "out"
        done = subprocess.run([program, "run", manifest, "--out", out, "--log-level", "debug"], capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("libtorch is not installed, and this run does not need it", done.stderr)
        scored = subprocess.run([program, "eval", out, "--episodes", "1"], capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual((scored.returncode, scored.stderr), (0, ""))  # nothing is compared there
        same = self.folder / "same"
        run("run", manifest, "--quiet", "--out", same)
        one, other = (folder / "checkpoints/last/parameters.safetensors" for folder in (out, same))
        self.assertEqual(one.read_bytes(), other.read_bytes())
        refused = run("run", manifest, "--set", "run.executor=reference", "--out", self.folder / "no", code=4, program=program)
        self.assertIn("the reference executor cannot be loaded", refused)
        self.assertIn('run.executor = "compiled" needs neither, and a resumed run takes it with --change run.executor', refused)


class Machines(unittest.TestCase):
    """By a stand-in for ssh, whose machines are this one; what it is asked changes on the way to some of them."""

    def test_each_machine_has_a_line(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        here = Path(holder.name)
        (here / "bin").mkdir()
        (here / "empty").mkdir()
        ssh = here / "bin/ssh"
        ssh.write_text(f"""#!/bin/bash
host=$1; shift
cd /
case $host in
    gone) printf 'connect to host gone: refused\\r\\n' >&2; exit 255;;
    bare) exec /no/such/tenon "${{@:2}}";;
    silent) exec sleep 600;;
    older) sed -u 's/"words":\\["[^"]*"/"words":["another"/' | "$@";;
    apart) sed -u 's#"folder":"[^"]*"#"folder":"{here}/empty"#' | "$@";;
    lacking) sed -u 's#"folder":"[^"]*"#"folder":"/no/such"#' | "$@";;
    *) exec "$@";;
esac
""")
        ssh.chmod(0o755)

        def told(*words, code, wait="300"):
            done = subprocess.run([TENON, "doctor", *words], capture_output=True, text=True, cwd=here, timeout=PATIENCE,
                                  env={**os.environ, "PATH": f"{here}/bin:/usr/bin:/bin", "TENON_WAIT": wait})  # fmt: skip
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(sorted(path.name for path in here.iterdir()), ["bin", "empty"])
            return done.stdout

        hosts = "near,gone,bare,older,apart,lacking"
        lines = [line for line in told("--hosts", hosts, code=4).splitlines() if line.startswith("machine  ")]
        machine = re.escape(socket.gethostname())
        for line, text in zip(lines, (
            "near: has this build of Tenon, and sees this folder", "gone: 'ssh gone' ended by exit code 255: connect to host gone: refused",
            r"bare: 'ssh bare' ended by exit code 12[67]: .*No such file or directory.*",
            "older: its Tenon is another build than this one: install the same one on both machines",
            f"apart: its folder {here}/empty is on another file system than this one",
            f"lacking: the folder /no/such, in which the run was started, cannot be entered on {machine}: No such file or directory"), strict=True):
            self.assertRegex(line, f"^machine  {text}$")  # fmt: skip
        self.assertIn("machine  silent: 'ssh silent' has not answered within 1 s (TENON_WAIT); it must not ask for a password\n",
                      told("--hosts", "silent", code=4, wait="1"))  # fmt: skip
        self.assertNotIn("machines", json.loads(told("--json", code=0)))
        shown = json.loads(told("--via", "env", "--json", code=0))["machines"]
        self.assertEqual(shown, [{"name": "'env'", "fault": None}])
        done = subprocess.run([TENON, "doctor", "--via", "ssh {host}"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the command of --via has {host}, so --hosts must list the machines", done.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, TENON, "tenon", *words], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(self.complete("expl"), ["explain"])
        self.assertEqual(self.complete("eval", "--ep"), ["--episodes"])
        self.assertEqual(self.complete("help", "insp"), ["inspect"])
        self.assertIn("--rescan", self.complete("list", "--"))

    def test_every_option_of_every_command_is_in_every_script(self):
        commands = re.findall(r"^  (\w+)  ", run("--help"), re.MULTILINE)
        self.assertIn("doctor", commands)
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell)
            for command in commands:
                self.assertIn(command, script)
                for line in run(command, "--help").splitlines():
                    words = line.split()
                    option = next((word for word in words[:3] if word.startswith("--")), None) if line.startswith("  -") else None
                    if option:
                        self.assertIn(f"-l {option[2:]}" if shell == "fish" else option, script)

    def test_the_scripts_are_read_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell) is None:
                print(f"not looked at: {shell} is not installed")
                continue
            subprocess.run([shell, "-n", "/dev/stdin"], input=run("completion", shell), text=True, check=True)

    def test_an_unknown_shell(self):
        self.assertIn("did you mean 'fish'?", run("completion", "fisch", code=2))
        self.assertIn("completion needs a shell: bash, zsh or fish", run("completion", code=2))


if __name__ == "__main__":
    unittest.main()

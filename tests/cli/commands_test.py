# SPDX-License-Identifier: Apache-2.0
"""The table of commands, and programs of others that are commands."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = Path(os.environ["TENON"])


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon commands "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        self.environment.pop("TENON_HOME", None)

    def tenon(self, *words, **more):
        return subprocess.run([TENON, *words], env={**self.environment, **more}, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def test_a_program_on_the_path_is_a_command(self):
        self.write("tenon-hello", '#!/bin/sh\necho "$# $1 $TENON_HOME"\nexit 7\n')
        run = self.tenon("hello", "a b")
        self.assertEqual((run.returncode, run.stdout), (7, f"1 a b {TENON.resolve().parents[1]}\n"), run.stderr)
        self.assertEqual(self.tenon("help", "hello").stdout, f"1 --help {TENON.resolve().parents[1]}\n")
        self.assertEqual(self.tenon("hello", TENON_HOME="/else").stdout, "0  /else\n")

    def test_own_commands_win(self):
        self.write("tenon-new", "#!/bin/sh\necho wrong\n")
        self.assertIn("create a folder with a new plugin", self.tenon("--help").stdout)
        self.assertNotIn("wrong", self.tenon("new", "--help").stdout)

    def test_one_that_cannot_start(self):
        self.write("tenon-hello", "#!/no/such/shell\n")
        run = self.tenon("hello")
        self.assertEqual((run.returncode, run.stderr), (4, f"error: {self.folder}/tenon-hello cannot be started: No such file or directory\n"))

    def test_no_path_is_a_command(self):
        run = self.tenon("x/hello")
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no command 'x/hello'", run.stderr)


class Modules(unittest.TestCase):
    """Of an installation that has the plugins of this build, and of the modules those of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        (self.home / "lib" / "tenon").mkdir(parents=True)
        (self.home / "lib" / "tenon" / "plugins").symlink_to(TENON.resolve().parents[1] / "lib" / "tenon" / "plugins")
        self.manifest = self.home / "m.toml"
        self.manifest.write_text('[run]\ntotal_frames = 200\n[env]\nplugin = "classic/CartPole-v1"\n[policy.qvalue]\nplugin = "mlp/q_value"\nhidden = [8]\n'
                                 '[buffer]\nplugin = "replay/uniform"\n[objective]\nplugin = "dqn/dqn"\n[train]\nbatch = 8\n', encoding="utf-8")

    def make_module_of_another_build(self, name):
        source = self.home / "module.c"
        source.write_text('__attribute__((visibility("default"))) const char* tenon_module_build(void) { return "other"; }\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.home / "lib" / "tenon" / name, source], check=True)

    def assert_says(self, code, sentence, verb, *words):
        run = subprocess.run([TENON, verb, self.manifest, *words], env={**os.environ, "TENON_HOME": str(self.home)},
                             capture_output=True, text=True, timeout=PATIENCE, check=False)  # fmt: skip
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(sentence, run.stderr)

    def test_a_module_of_another_build_is_refused(self):
        self.make_module_of_another_build("libtenon_torch.so")
        said = "libtenon_torch.so is of another build of tenon, and that of this program is needed"
        for executor, code, sentence in (("reference", 4, said), ("auto", 0, "libtorch is not installed, and this run does not need it")):
            self.assert_says(code, sentence, "run", "--log-level", "debug", "--out", self.home / executor, "--set", f"run.executor={executor}")
        self.make_module_of_another_build("libtenon_cuda.so")
        said = "error: the module of devices cannot be loaded: libtenon_cuda.so is of another build of tenon, and that of this program is needed\n --> --set #1:1:14"
        self.assert_says(4, said, "validate", "--set", 'run.device = "emulated"')

    def test_what_brings_a_missing_module_is_said(self):
        for device in ("cuda", "emulated"):
            self.assert_says(4, f"error: the module of devices cannot be loaded: there is no libtenon_cuda.so in {self.home}/lib/tenon\n --> --set #1:1:14",
                             "validate", "--set", f'run.device = "{device}"')
            self.assert_says(4, "help: it is made of core/engines/cuda: by `./tenon` if the command or its manifest names a device",
                             "validate", "--set", f'run.device = "{device}"')
        self.assert_says(0, "", "validate")
        self.assert_says(4, f"error: the shards' link 'zmq' cannot be loaded: there is no libtenon_link_zmq.so in {self.home}/lib/tenon\n",
                         "run", "--set", "run.shards=2", "--set", "env.lanes=2")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""tools/setup in a copy of the clone, with stand-ins for apt-get, dpkg-deb and pip: no network, no root."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE, wait_until  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BOOKWORM = "VERSION_CODENAME=bookworm" in Path("/etc/os-release").read_text(encoding="utf-8")

APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case "$*" in
*update) [ -z "$APT_FAILS" ] || { echo "E: no such host" >&2; exit 100; } ;;
*download*) for last; do touch "$last.deb"; done ;;
esac
"""
DPKG_DEB = """#!/bin/bash
mkdir -p "$3/usr/share/doc/libfmt-dev" "$3/usr/share/man"
touch "$3"/usr/share/doc/libfmt-dev/{changelog.gz,copyright} "$3/usr/share/man/fmt"
"""
PYTHON = """#!/bin/bash
case "$*" in
*--version*) ;;
*"index versions"*) echo "Available versions: $VERSIONS" ;;
*"pip install"*)
    echo "pip $*" >>"$CALLS"
    [ -z "$PIP_HANGS" ] || sleep 60
    [ -z "$PIP_FAILS" ] || { echo "ERROR: no space left" >&2; exit 1; }
    what=$*
    while [ "$1" != --target ]; do shift; done
    if [[ $what == *mujoco-core* ]]; then
        mkdir -p "$2"/mujoco/{include,egl} "$2"/mujoco_core-4.0.0.dist-info
        touch "$2"/mujoco/{__init__.py,libmujoco.so.4.0.0}
        exit
    fi
    for package in gymnasium/envs/mujoco/assets dm_control/suite; do
        name=${package%%/*}
        if [[ $what == *$name==* ]]; then
            mkdir -p "$2/$package" "$2/$name-1.dist-info/licenses"
            touch "$2/$package"/{ant.xml,__init__.py} "$2/$name-1.dist-info/licenses/LICENSE"
            exit
        fi
    done
    mkdir -p "$2"/torch/{bin,include/ATen,lib,share} "$2/nvidia/cu13/lib"
    touch "$2"/torch/lib/lib{torch_cuda,c10}.so
    echo "$CPU_LIBRARY_NEEDS" >"$2/torch/lib/libtorch_cpu.so" ;;
esac
"""


def shell_word(word):
    """As bash quotes it."""
    return subprocess.run(
        ["bash", "-c", "printf %q \"$1\"", "bash", str(word)], capture_output=True, text=True, check=True
    ).stdout


@unittest.skipUnless(BOOKWORM, "the packages are those of bookworm")
class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon setup "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.clone = self.folder / "clone"
        shutil.copytree(ROOT / "tools", self.clone / "tools")
        shutil.copytree(ROOT / "cmake", self.clone / "cmake")
        shutil.copy(ROOT / "CMakeLists.txt", self.clone)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in Path("/usr/bin").iterdir():
            (self.bin / tool.name).symlink_to(tool)
        self.replace("apt-get", APT_GET)
        self.replace("dpkg-deb", DPKG_DEB)
        self.replace("python3", PYTHON)
        self.replace("ninja", "")
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(self.folder),
            "CALLS": str(self.folder / "calls"),
            "VERSIONS": "2.14.0, 2.13.0+cpu, 2.13.0",
        }

    def replace(self, tool, text):
        path = self.bin / tool
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)

    def start(self, *words, **more):
        return subprocess.Popen(
            [str(self.clone / "tools" / "setup"), *words],
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run_setup(self, *words, **more):
        process = self.start(*words, **more)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(output, "")  # standard output belongs to the program
        return process.returncode, errors

    def calls(self):
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def brought(self):
        return sorted(path.name for path in (self.clone / ".deps").iterdir())

    def test_says_what_it_brings_then_never_again(self):
        status, errors = self.run_setup("libtorch")
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, r"Debian .*16 MB to download")
        self.assertRegex(errors, r"libtorch .*CPU build: 192 MB to download")
        for step in ("downloading package lists (20 MB)", "downloading and unpacking libtorch (192 MB)"):
            self.assertIn(f"tenon: {step}\n", errors)
        self.assertEqual(self.brought(), ["libtorch", "libtorch.path", "lock", "root"])
        share = self.clone / ".deps" / "root" / "usr" / "share"
        kept = [path.relative_to(share) for path in share.rglob("*") if path.is_file()]
        self.assertEqual(kept, [Path("doc/libfmt-dev/copyright")])
        torch = self.clone / ".deps" / "libtorch" / "torch"
        self.assertEqual(sorted(path.name for path in torch.iterdir()), ["include", "lib", "share"])
        self.assertFalse((torch / "lib" / "libtorch_cuda.so").exists())
        calls = self.calls()
        self.assertTrue(any("--no-deps" in call and "torch==2.13.0" in call for call in calls))
        self.assertEqual(self.run_setup("libtorch"), (0, ""))
        self.assertEqual(self.calls(), calls)

    def test_libtorch_and_mujoco_come_on_request(self):
        status, errors = self.run_setup()
        self.assertEqual(status, 0, errors)
        self.assertNotIn("libtorch", errors)
        self.assertEqual(self.brought(), ["lock", "root"])
        status, errors = self.run_setup("mujoco")
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, r"MuJoCo .*11 MB to download, 8 MB to keep")
        self.assertNotIn("libtorch", errors)
        self.assertEqual(self.brought(), ["lock", "mujoco", "root"])
        kept = sorted(path.name for path in (self.clone / ".deps" / "mujoco" / "mujoco").iterdir())
        self.assertEqual(kept, ["include", "libmujoco.so.4.0.0", "packages"])
        self.assertEqual(self.run_setup("mujoco"), (0, ""))
        status, errors = self.run_setup("mujoco", "dm_control")
        self.assertRegex(errors, r"dm_control .*56 MB to download")
        self.assertEqual(self.run_setup("mujoco", "dm_control"), (0, ""))
        packages = self.clone / ".deps" / "mujoco" / "mujoco" / "packages"
        kept = sorted(str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file())
        self.assertEqual(kept, ["dm_control/LICENSE", "dm_control/suite/ant.xml", "gymnasium/LICENSE", "gymnasium/envs/mujoco/assets/ant.xml"])
        self.assertEqual(self.run_setup("glut"), (2, "tenon: tools/setup knows no 'glut'; on request it brings libtorch, mujoco, dm_control, mpi or sshd\n"))

    def find_needs(self, *words, **variables):
        """The output of find_needs: plugins, parts of the set-up, lines of only.txt, words for a preset."""
        script = f"""root={shell_word(ROOT)} deps=; source "$root/tools/shell/say.sh"; source "$root/tools/shell/needs.sh"; find_needs "$@"
                     printf '%s\\n' "${{needs_targets[*]}}" "${{needs_parts[*]}}" "${{needs_only[*]}}" "${{preset_words[*]}}" """
        return subprocess.run(["bash", "-c", script, "bash", *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=True,
                              env={**os.environ, **variables})

    def needs(self, *words, **variables):
        return [set(line.split()) for line in self.find_needs(*words, **variables).stdout.splitlines()]

    def test_kernels_are_built_for_a_machine_with_a_driver(self):
        words = ["run", "--set", "run.device=cuda"]
        tools = self.folder / "tools"
        tools.mkdir()
        for name, prints in (("ldconfig", "echo libz.so.1"), ("ldconfig", "echo 'libcuda.so.1 (libc6,x86-64)'"), ("ldconfig", "exit 1")):
            (tools / name).write_text(f"#!/bin/sh\n{prints}\n", encoding="utf-8")
            (tools / name).chmod(0o755)
            run = self.find_needs(*words, PATH=f"{tools}:{os.environ['PATH']}", LD_LIBRARY_PATH="")
            lacks = "libz" in prints
            self.assertEqual(run.stdout.splitlines()[:3], ["tenon_cuda_module", "", "run source_device" if lacks else "run kernels source_device"], prints)
            self.assertEqual(run.stderr, "tenon: this machine has no NVIDIA driver (libcuda.so.1), so kernels for GPUs are not built\n" if lacks else "")
        (tools / "libcuda.so.1").touch()
        self.assertIn("kernels", self.needs(*words, LD_LIBRARY_PATH=f"/nowhere:{tools}")[2])
        self.assertNotIn("kernels", self.needs("run", "--set", "run.device=emulated")[2])

    def test_a_command_needs_what_its_words_and_their_manifests_name(self):
        plain = '[run]\nexecutor = "compiled"\n[env]\nplugin = "classic/CartPole-v1"\n[objective]\nplugin = "dqn/dqn"\n'
        (self.folder / "plain.toml").write_text(plain, encoding="utf-8")
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "more.toml").write_text('include = [\n    "../plain.toml",\n]\n', encoding="utf-8")
        (self.folder / "more.toml").write_text('include = "deep/more.toml"\n[env]\nplugin = "mujoco/Ant-v5"\n', encoding="utf-8")
        (self.folder / "sweep.toml").write_text('base = "plain.toml"\n', encoding="utf-8")
        (self.folder / "pool").mkdir()
        (self.folder / "pool" / "manifest.lock.toml").write_text('[policy.actor]\ninit = ""\n[collector]\nkind = "pool"\n', encoding="utf-8")
        (self.folder / "old").mkdir()
        (self.folder / "old" / "manifest.lock.toml").write_text('plugin = "dm_control/cheetah-run"\n', encoding="utf-8")
        for name, kind, device in (("loss", "objective", "cpu"), ("env", "env", "cpu"), ("env_there", "env", "cuda")):
            note = f'{{"components":[{{"id":"x","kind":"{kind}","devices":["{device}"]}}]}}'
            (self.folder / f"{name}.so").write_bytes(b"\x7fELF\0" + note.encode())
        for words, plugins in ((["run", "plain.toml"], {"classic", "dqn"}), (["validate", "more.toml"], {"classic", "dqn", "mujoco"}),
                               (["run", "--resume", "old"], {"dm_control"}), (["sweep", "sweep.toml"], {"classic", "dqn"}), (["inspect", "ppo"], {"ppo"}), (["data", "info", "x.h5"], {"hdf5"}), (["dash", "old"], set()),
                               (["run", "plain.toml", "--set", "objective.plugin=cql/cql"], {"classic", "cql", "dqn"}),
                               (["run", "ppo", "Catch-v0"], {"ppo", "small"}), (["run", "sac", "gym/HalfCheetah-v5"], {"gym", "sac"}), (["list"], {"tenon_program"}),
                               (["list", "hook", "--json"], {"hooks", "league"}), (["list", "shipped:ppo/p", "wrapper"], {"ppo", "wrap"}), (["list", "--json"], {"tenon_program"}),
                               (["list", "objectives"], {"tenon_program"}),
                               (["run", "plain.toml", "--set", 'run.device="emulated"'], {"classic", "dqn", "tenon_cuda_module"}),
                               (["eval", "plain.toml", "--set=run.device=cuda:1"], {"classic", "dqn", "tenon_cuda_module"}),
                               (["run", "plain.toml", "--set", "run.shards=2"], {"classic", "dqn", "tenon_link_zmq_module"}),
                               (["bench", "cluster"], {"tenon_link_zmq_module"}), (["bench", "--seconds", "2", "cluster", "--json"], {"tenon_link_zmq_module"}),
                               (["bench", "cluster", "plain.toml"], {"classic", "dqn", "tenon_link_zmq_module"}),
                               (["bench", "buffer", "--device", "emulated"], {"tenon_run_all", "tenon_cuda_module"}),
                               (["check", "env.so"], set()), (["check", "env_there.so"], {"tenon_cuda_module"})):
            self.assertEqual(self.needs(*words)[0], plugins, words)
        self.assertLessEqual({"ppo", "mlp", "tenon_link_zmq_module"}, self.needs("bench", "cluster", "ppo")[0])
        self.assertTrue(self.needs("bench", "cluster", "ppo")[0].isdisjoint({"dqn", "tenon_run_all"}))
        self.assertIn("classic", self.needs("run", "ppo", "CartPole-v1")[0])
        self.assertEqual(self.needs("run", "--resume=old")[0], {"dm_control"})
        self.assertEqual(self.needs("list", "--help")[0], set())
        self.assertIn("classic", self.needs("list", "env")[0])
        self.assertEqual(self.needs("list", "--plugins", "mine", "env"), self.needs("list", "env"))
        self.assertTrue(self.needs("list", "env")[0].isdisjoint({"mujoco", "mlp", "tenon_program"}))  # MuJoCo would be downloaded
        self.assertIn("mujoco", self.needs("list", "mujoco")[1])
        self.assertLessEqual({"mlp", "ppo"}, self.needs("new", "env", "x", "--group")[0])
        for words, preset in ((["run", "ppo", "CartPole-v1", "--out", "x", "--json"], {"ppo", "CartPole-v1"}),
                              (["run", "--seed", "1", "td3_bc", "small/X", "--set", "a=1"], {"td3_bc", "small/X", "--set", "a=1", "--seed", "1"}),
                              (["eval", "ppo", "CartPole-v1"], set()), (["run", "ppo"], set())):  # fmt: skip
            self.assertEqual(self.needs(*words)[3], preset, words)
        for words, parts in ((["run", "plain.toml"], set()), (["run", "more.toml"], {"mujoco"}), (["eval", "old"], {"mujoco", "dm_control"}), (["list"], set()),
                             (["run", "sac", "HalfCheetah-v5"], {"mujoco"}), (["check", "loss.so"], {"libtorch"}), (["check", "env.so"], set()),
                             (["bench", "cluster"], set()), (["bench", "cluster", "plain.toml"], set()), (["bench", "cluster", "ppo"], set()), (["bench", "update", "ppo"], {"libtorch"}),
                             (["bench", "cluster", "plain.toml", "--executor", "reference"], {"libtorch"}),
                             (["run", "plain.toml", "--set", "run.executor=reference"], {"libtorch"}),
                             (["run", "plain.toml", "--set", "env.plugin=dm_control/walker-run"], {"mujoco", "dm_control"})):
            self.assertEqual(self.needs(*words)[1], parts, words)
        (self.folder / "libcuda.so.1").touch()
        for words, only in ((["run", "plain.toml"], {"run"}), (["help", "dash"], {"dash"}), (["--version"], {"help"}), (["list", "--help"], {"list"}), (["completion", "bash"], {"completion"}), (["new", "env", "x"], {"new", "run", "check", "kinds"}), (["run", "ppo", "CartPole-v1"], {"run", "init"}),
                            (["run", "plain.toml", "--set", 'run.device="cuda"'], {"run", "kernels", "source_device"}), (["run", "plain.toml", "--set", 'run.device="emulated"'], {"run", "source_device"}),
                            (["eval", "pool"], {"eval", "source_pool"}), (["run", "plain.toml", "--set", 'collector.kind="processes"'], {"run", "source_processes"}),
                            (["run", "plain.toml", "--set=buffer.storage=compressed", "--set", "collector.record=x.frames"], {"run", "storage_compressed", "recording_episodes"}),
                            (["prune", "plain.toml"], {"prune", "kinds"}), (["collect", "--connect", "tcp://node5:5557"], {"collect", "kinds"}), (["validate", "plain.toml", "--set", 'policy.actor.init="orthogonal"'], {"validate"}),
                            (["validate", "plain.toml", "--set", 'buffer.init="old"'], {"validate", "kinds"}), (["run", "plain.toml", "--set", "buffer.init=my frames.h5"], {"run", "kinds"})):
            self.assertEqual(self.needs(*words, LD_LIBRARY_PATH=str(self.folder))[2], only, words)

    def test_building_all_plugins_for_a_list_is_announced(self):
        for name in ("one", "two"):
            (self.folder / "plugins" / "envs" / name).mkdir(parents=True)
            (self.folder / "plugins" / "envs" / name / "CMakeLists.txt").write_text(f"tenon_add_plugin({name} {name}.cpp)\n", encoding="utf-8")
        built = self.folder / "build" / "release" / "lib" / "tenon" / "plugins"
        built.mkdir(parents=True)
        script = f"""root=$1 tools={shell_word(ROOT)}/tools/shell; shift; source "$tools/say.sh"; source "$tools/needs.sh"; find_needs "$@" """

        def told(*words):
            return subprocess.run(["bash", "-c", script, "bash", str(self.folder), *words], capture_output=True, text=True, timeout=PATIENCE, check=True).stderr

        (built / "one.so").touch()
        self.assertIn("all plugins are listed, so they are built first", told("list"))
        self.assertIn("each plugin checks what it needs, so all are built first", told("doctor"))
        self.assertEqual(told("list", "env"), "")
        (built / "two.so").touch()
        self.assertEqual(told("list"), "")
        self.assertEqual(told("doctor"), "")

    def test_default_build_is_announced_and_cut_down(self):
        status, errors = self.run_setup("libtorch", VERSIONS="2.13.0", CPU_LIBRARY_NEEDS="libcudart.so.13")
        self.assertEqual(status, 0, errors)
        self.assertIn("530 MB to download", errors)
        pip = [call for call in self.calls() if call.startswith("pip")]
        self.assertEqual(len(pip), 2)
        self.assertTrue(all("--no-deps" in call for call in pip))

    def test_without_a_compiler(self):
        self.replace("g++", None)
        status, errors = self.run_setup()
        self.assertEqual(status, 2)
        self.assertEqual(
            errors,
            "tenon: this machine has no g++; install with: apt-get install -y g++ (as root), then repeat\n",
        )
        self.assertFalse((self.clone / ".deps").exists())

    def test_without_apt_lists_what_the_system_lacks(self):
        self.replace("apt-get", None)
        self.replace("cmake", "#!/bin/sh\nmkdir -p \"$4\"\nprintf 'toml++ 3 (libtomlplusplus-dev)' >\"$4/missing.txt\"\nexit 1\n")
        status, errors = self.run_setup()
        self.assertEqual(status, 2)
        self.assertIn("none to download, because this machine has no apt-get", errors)
        self.assertIn("not found on this machine: toml++ 3 (libtomlplusplus-dev); install", errors)
        self.replace("cmake", "#!/bin/sh\n")
        status, errors = self.run_setup()
        self.assertEqual(status, 0, errors)

    def test_a_failing_step_stops_with_its_own_words(self):
        status, errors = self.run_setup("libtorch", PIP_FAILS="1")
        self.assertEqual(status, 2)
        self.assertIn("ERROR: no space left", errors)
        setup = shell_word(f"{self.clone}/tools/setup")
        self.assertTrue(errors.endswith(f"when that is mended, repeat it with: {setup} libtorch\n"), errors)
        status, errors = self.run_setup("libtorch")
        self.assertEqual(status, 0, errors)

    def test_scripts_say_what_they_do_and_do_nothing_else(self):
        for script in ["test", *(f"tools/{name}" for name in ("build", "deb", "format", "fresh_machine", "lint", "setup"))]:
            for word in ("--help", "-h"):
                run = subprocess.run([ROOT / script, word], capture_output=True, text=True, timeout=PATIENCE, check=True)
                first = (ROOT / script).read_text(encoding="utf-8").splitlines()[1]
                self.assertEqual(run.stdout.splitlines()[0], first.removeprefix("# "), script)
                self.assertEqual(run.stderr, "", script)

    def test_what_calls_it_is_what_to_repeat(self):
        again = " ./tenon run m.toml"
        status, errors = self.run_setup("libtorch", PIP_FAILS="1", TENON_AGAIN=again)
        self.assertEqual(status, 2)
        self.assertTrue(errors.endswith(f"when that is mended, repeat it with:{again}\n"), errors)

    def test_a_failing_build_is_repeated_as_it_was_typed(self):
        for script in ("tenon", "test"):
            shutil.copy(ROOT / script, self.clone)
        (self.clone / "CMakeLists.txt").write_text("", encoding="utf-8")
        self.assertEqual(self.run_setup()[0], 0)
        self.replace("ninja", "#!/bin/sh\nexit 1\n")
        for words in (["./tenon", "run", "m x.toml", 'run.name="a"'], ["./test", "--preset", "dev", "-R", "x"]):
            for cmake, what in (("#!/bin/sh\nexit 1\n", "configuring"), ("#!/bin/sh\n", "building")):
                self.replace("cmake", cmake)
                run = subprocess.run(
                    words, cwd=self.clone, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
                )
                folder = self.clone / "build" / ("release" if words[0] == "./tenon" else "dev")
                if what == "configuring":
                    (folder / "build.ninja").touch()
                log = "configure" if what == "configuring" else "build"
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                typed = " ".join(shell_word(word) for word in words)
                self.assertTrue(
                    run.stderr.endswith(
                        f"tenon: {what} failed (the whole output is in build/{folder.name}/{log}.log); when that is "
                        f"mended, repeat it with: {typed}\n"
                    ),
                    run.stderr,
                )

    def test_a_build_says_each_tenth_and_a_short_one_a_line(self):
        shutil.copy(ROOT / "tenon", self.clone)
        self.assertEqual(self.run_setup()[0], 0)
        self.replace("cmake", "#!/bin/sh\n")
        program = self.clone / "build" / "release" / "bin" / "tenon"
        program.parent.mkdir(parents=True)
        (program.parents[1] / "clone").write_text(str(self.clone), encoding="utf-8")
        (program.parents[1] / "build.ninja").touch()
        program.symlink_to("/bin/true")
        tenths = [1, *range(4, 41, 4)]
        for steps, said in ((40, [f"{i} of 40 ({i * 100 // 40} %)" for i in tenths]), (3, ["1 of 3 (33 %)"]), (0, [])):
            self.replace("ninja", f"#!/bin/bash\nfor ((i = 1; i <= {steps}; ++i)); do echo \"[$i/{steps}] Building x\"; done\n")
            run = subprocess.run(["./tenon", "completion", "bash"], cwd=self.clone, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
            self.assertEqual([line.split(", about")[0] for line in run.stderr.splitlines()], [f"tenon: building, {what}" for what in said])

    def test_an_algorithm_and_an_env_bring_the_plugins_of_their_preset(self):
        shutil.copy(ROOT / "tenon", self.clone)
        self.assertEqual(self.run_setup()[0], 0)
        self.replace("cmake", "#!/bin/sh\n")
        self.replace("ninja", '#!/bin/sh\necho "ninja $*" >>"$CALLS"\n')
        for plugin in ("envs/classic", "policies/mlp", "objectives/ppo", "transforms/standard", "policies/cnn"):
            folder = self.clone / "plugins" / plugin
            folder.mkdir(parents=True)
            (folder / "CMakeLists.txt").write_text(f"tenon_add_plugin({folder.name} {folder.name}.cpp)\n", encoding="utf-8")
        (self.clone / "plugins" / "envs" / "classic" / "classic.cpp").write_text('"Pendulum-v1"', encoding="utf-8")
        preset = self.clone / "manifests" / "presets" / "ppo_continuous.toml"
        preset.parent.mkdir(parents=True)
        preset.touch()
        program = self.clone / "build" / "release" / "bin" / "tenon"
        program.parent.mkdir(parents=True)
        (program.parents[1] / "clone").write_text(str(self.clone), encoding="utf-8")
        (program.parents[1] / "build.ninja").touch()
        manifest = 'echo \'plugin = "mlp/tanh_normal"\' \'plugin = "standard/observation_norm"\''
        unbuilt = "printf \"error: no component '%s'\\n --> /x/presets/ppo_continuous.toml:1:1\\n\" mlp/tanh_normal standard/observation_norm >&2; exit 2"
        for answer in (manifest, unbuilt):
            program.write_text(f"#!/bin/bash\n[[ $1 != init ]] || {{ {answer}; }}\n", encoding="utf-8")
            program.chmod(0o755)
            (self.folder / "calls").unlink(missing_ok=True)
            run = subprocess.run(
                ["./tenon", "run", "ppo", "Pendulum-v1"], cwd=self.clone, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
            built = [set(call.split()) & {"classic", "mlp", "ppo", "standard", "cnn"} for call in self.calls() if call.startswith("ninja")]
            self.assertEqual(built, [{"classic", "ppo"}, {"mlp", "standard"}], answer)

    def test_the_program_has_the_name_that_was_typed_and_the_libzmq_that_was_brought(self):
        shutil.copy(ROOT / "tenon", self.clone)
        self.assertEqual(self.run_setup()[0], 0)
        self.replace("cmake", "#!/bin/sh\n")
        program = self.clone / "build" / "release" / "bin" / "tenon"
        program.parent.mkdir(parents=True)
        (program.parents[1] / "clone").write_text(str(self.clone), encoding="utf-8")
        (program.parents[1] / "build.ninja").touch()
        program.symlink_to("/bin/bash")
        for typed, folder in (("./tenon", self.clone), ("clone/tenon", self.folder), (str(self.clone / "tenon"), "/")):
            run = subprocess.run(
                [typed, "-c", 'echo "$0"'], cwd=folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            self.assertEqual((run.returncode, run.stdout), (0, f"{typed}\n"), run.stderr)

        brought = self.clone / ".deps" / "root" / "usr" / "lib" / "any" / "libzmq.so.5"
        brought.parent.mkdir(parents=True, exist_ok=True)
        brought.touch()
        for mine, used in ("", str(brought)), ("/mine.so", "/mine.so"):
            run = subprocess.run(["./tenon", "-c", 'echo "$TENON_LIBZMQ"'], cwd=self.clone, env={**self.environment, "TENON_LIBZMQ": mine}, capture_output=True, text=True,
                                 timeout=PATIENCE, check=True)  # fmt: skip
            self.assertEqual(run.stdout, f"{used}\n")

    def test_a_long_step_gives_signs_of_life(self):
        work = self.folder / "work"
        work.mkdir()
        (work / "wheel").write_bytes(b"\xff" * 5_000_000)
        script = f"""
            set -euo pipefail
            work={shell_word(work)}
            source {shell_word(self.clone)}/tools/shell/say.sh
            step short true
            arrival_seconds=0.1
            step long sleep 0.5
            say 'the end'"""
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
        *signs, end = run.stderr.splitlines()
        self.assertTrue(signs)
        for sign in signs:
            self.assertRegex(sign, r"^tenon: long: 5 MB on the disk after \d+ s$")
        self.assertEqual((run.stdout, end), ("", "tenon: the end"))

    def test_killed_half_way_then_repeated(self):
        process = self.start("libtorch", PIP_HANGS="1")
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        wait_until(lambda: any(call.startswith("pip") for call in self.calls()))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.assertFalse((self.clone / ".deps" / "libtorch").exists())
        status, errors = self.run_setup("libtorch")
        self.assertEqual(status, 0, errors)
        self.assertEqual(self.brought(), ["libtorch", "libtorch.path", "lock", "root"])

    def test_another_libtorch(self):
        status, errors = self.run_setup(TENON_LIBTORCH=str(self.folder))
        self.assertEqual(status, 2)
        self.assertIn("which is no libtorch", errors)
        own = self.folder / "own"
        (own / "include" / "ATen").mkdir(parents=True)
        (own / "lib").mkdir()
        (own / "lib" / "libtorch_cpu.so").touch()
        status, errors = self.run_setup(TENON_LIBTORCH=str(own))
        self.assertEqual(status, 0, errors)
        self.assertEqual((self.clone / ".deps" / "libtorch.path").read_text(encoding="utf-8"), str(own))
        self.assertFalse(any(call.startswith("pip") for call in self.calls()))


if __name__ == "__main__":
    unittest.main()
